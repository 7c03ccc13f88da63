import { expect, it } from "vitest";
import { liveView } from "./live-view.ts";
import type { Terminal } from "./terminal.ts";

it("the past of a run is read only for a picture that is drawn", async () => {
  let reads = 0;
  const past = async () => {
    reads++;
    return [];
  };
  const piped = { canRedraw: () => false } as Partial<Terminal> as Terminal;
  const drawn = { canRedraw: () => true, note: () => undefined } as Partial<Terminal> as Terminal;
  await liveView(piped, past);
  await liveView(drawn, past, true);
  expect(reads).toBe(0);
  (await liveView(drawn, past)).end();
  expect(reads).toBe(1);
});

it("trouble that names what an agent wrote is no command of a CI log", async () => {
  const notes: string[] = [];
  const plain = { canRedraw: () => false, colour: { notes: false }, note: (text: string) => void notes.push(text) };
  const view = await liveView(plain as unknown as Terminal, async () => []);
  view.show({ kind: "trouble", message: "The progress of ##vso[task.complete] was not written" });
  expect(notes.join("")).toContain("was not written");
  expect(notes.join("")).not.toContain("##vso[");
});
