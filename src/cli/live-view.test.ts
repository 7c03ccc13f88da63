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
  const note = (text: string): void => void notes.push(text);
  const plain = { canRedraw: () => false, note, colour: { notes: false }, room: { notes: Infinity } };
  const view = await liveView(plain as unknown as Terminal, async () => []);
  view.show({ kind: "trouble", message: "The progress of ##vso[task.complete] was not written" });
  expect(notes.join("")).toContain("was not written");
  expect(notes.join("")).not.toContain("##vso[");
});

it("a line is broken between words on a screen that cannot be drawn on, and whole for other programs", async () => {
  let told = "";
  const note = (text: string): void => void (told += text);
  const plain = { canRedraw: () => false, note, colour: { out: false, notes: false } };
  const view = async (notes: number) =>
    liveView({ ...plain, room: { out: 0, notes } } as Partial<Terminal> as Terminal, async () => []);
  const news = { kind: "trouble", message: "the disk is full and the log cannot be written" } as const;
  (await view(40)).show(news);
  expect(told.split("\n").slice(1)).toEqual(["             log cannot be written", ""]);
  told = "";
  (await view(Infinity)).show(news);
  expect(told).toMatch(/^ +\S+ \S+  ! the disk is full and the log cannot be written\n$/);
});
