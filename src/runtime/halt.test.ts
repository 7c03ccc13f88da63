import { expect, it } from "vitest";
import { Halt } from "./halt.ts";

it("holds who is there and who comes later, and tells each change once", () => {
  const halt = new Halt();
  const told: string[] = [];
  const free = halt.apply((isOn) => told.push(`first ${isOn}`));
  halt.set(true);
  halt.set(true);
  halt.apply((isOn) => told.push(`second ${isOn}`));
  free();
  halt.set(false);
  expect(told).toEqual(["first true", "second true", "second false"]);
  expect(halt.isOn).toBe(false);
});
