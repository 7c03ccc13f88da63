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
