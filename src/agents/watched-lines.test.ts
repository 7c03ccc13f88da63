import { expect, it } from "vitest";
import type { AgentUpdate } from "../ports/agent.ts";
import { WatchedLines } from "./watched-lines.ts";

function watched(tell: (lines: WatchedLines) => void): string[] {
  const updates: AgentUpdate[] = [];
  const lines = new WatchedLines((update) => updates.push(update));
  tell(lines);
  lines.end();
  return updates.map((update) => (update.kind === "line" ? update.text : update.kind));
}

it("a flood is told in part, with a word about the rest", () => {
  const told = watched((lines) => {
    for (let count = 0; count < 100_000; count += 1) lines.tell(`line ${count}`);
  });
  expect(told[0]).toBe("line 0");
  expect(told.length).toBeLessThan(5000);
  expect(told.at(-1)).toMatch(/^… \d+ more lines$/);
});

it("a line is made harmless and cut", () => {
  const told = watched((lines) => lines.tellAll(`\u001b[2Jgone\n\n${"x".repeat(5000)}`));
  expect(told).toEqual(["\\x1b[2Jgone", `${"x".repeat(2000)} …`]);
});
