import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PacketLine, type PacketSection, type SectionTitle, factsIn, splitReads } from "./packet.ts";

const source = { run: "r", task: "t", agent: "a", handoff: "h", fact: null };

function line(text: string, more: Partial<PacketLine> = {}): PacketLine {
  return { text, detail: null, place: null, severity: null, source, ...more };
}

function packet(title: SectionTitle, ...lines: PacketLine[]): { sections: PacketSection[] } {
  return { sections: [{ from: null, title, lines }] };
}

describe("the facts in a packet", () => {
  it("are known by their source, or as what a predecessor has said; issues are none", () => {
    const known = line("One", { source: { ...source, fact: "pattern-001" } });
    const said = line("Two", { knownAs: "pattern-002" });
    expect(factsIn(packet("Patterns to Follow", known, said, line("Three"), known))).toEqual([
      { id: "pattern-001", text: "One" },
      { id: "pattern-002", text: "Two" },
    ]);
    expect(factsIn(packet("Issues to Fix", known))).toEqual([]);
  });
});

describe("files that were read", () => {
  it("were named by a packet as a place, a file, or in a sentence", () => {
    const given = packet(
      "Warnings",
      line("See src/cart.ts.", { place: "src/money.ts:10-20" }),
      line("docs/my plan.md", { detail: "It calls (./src/tax.ts:5)" }),
    );
    const named = ["src/cart.ts", "src/money.ts", "docs/my plan.md", "src/tax.ts"];
    const unnamed = ["src/car.ts", "cart.ts", "src", "plan"];
    expect(splitReads(given, [...named, ...unnamed])).toEqual({ named, unnamed });
  });

  it("were named by nobody where there was no packet", () => {
    expect(splitReads(null, ["a.ts"])).toEqual({ named: [], unnamed: ["a.ts"] });
  });

  it("are each on one side, whatever a packet says", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.uniqueArray(fc.string()), (texts, reads) => {
        const { named, unnamed } = splitReads(packet("Context", ...texts.map((text) => line(text))), reads);
        expect([...named, ...unnamed].sort()).toEqual([...reads].sort());
      }),
    );
  });
});
