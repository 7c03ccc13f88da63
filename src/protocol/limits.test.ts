import { expect, it } from "vitest";
import { DEFAULT_LIMITS, type Limits, limitsFrom } from "./limits.ts";

it("limits are those that were given, and the usual ones for what was left open", () => {
  const open = { bytes: undefined, depth: Number.NaN, nodes: 7 } as unknown as Limits;
  expect(limitsFrom(open)).toEqual({ ...DEFAULT_LIMITS, nodes: 7 });
  expect(limitsFrom({ bytes: Infinity, depth: 0 })).toEqual({ ...DEFAULT_LIMITS, bytes: Infinity, depth: 0 });
});
