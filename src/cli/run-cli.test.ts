import { expect, it } from "vitest";
import { runCli } from "./run-cli.ts";
import type { Terminal } from "./terminal.ts";

it("an error that names what an agent wrote is no command of a CI log", async () => {
  const notes: string[] = [];
  const terminal = { room: { notes: Infinity }, note: (text: string) => void notes.push(text) };
  expect(await runCli(["##vso[task.complete]"], terminal as unknown as Terminal)).toBe(2);
  expect(notes.join("")).toContain("task.complete");
  expect(notes.join("")).not.toContain("##vso[");
});
