import { describe, expect, it } from "vitest";
import { standingOf } from "./standing.ts";

const GONE = { is: "gone" } as const;

describe("how a fact stands", () => {
  it.each([
    ["trusted while it cites nothing", "trusted", [], null, "trusted"],
    ["trusted while what it cites stands", "trusted", [], { is: "unchanged" }, "trusted"],
    ["trusted where it has moved to", "trusted", [], { is: "moved", path: "b.ts", first: 2 }, "trusted"],
    ["not trusted any more when that has changed", "trusted", [], { is: "changed" }, "changed"],
    ["not trusted any more when that is gone", "trusted", [], GONE, "gone"],
    ["nobody's word against another's", "trusted", ["pattern-002"], GONE, "contradicted"],
    ["first of all not proven", "quarantined", ["pattern-002"], GONE, "quarantined"],
    ["first of all retired", "retired", ["pattern-002"], GONE, "retired"],
  ] as const)("is %s", (_, status, opposes, freshness, standing) => {
    expect(standingOf({ status, opposes }, freshness)).toBe(standing);
  });
});
