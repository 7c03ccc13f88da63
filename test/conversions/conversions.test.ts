import { describe, expect, it } from "vitest";
import { handoffParts } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { type Conversion, TABLE, convertTable } from "./table.ts";

const CONVERSIONS = convertTable();

it("the table has four handoffs of each format, each with every target", () => {
  for (const source of DIALECT_NAMES) {
    const rows = TABLE.filter((row) => row.source === source);
    expect(rows).toHaveLength(4);
    for (const row of rows)
      expect(Object.keys(row.to).toSorted()).toEqual(DIALECT_NAMES.filter((name) => name !== source).toSorted());
  }
});

describe.each(CONVERSIONS.map((one) => [`${one.row.source} -> ${one.target}: ${one.row.name}`, one] as const))(
  "%s",
  (_title, { row, target, handoff, text, unmet }) => {
    it("has what a practitioner of the target would write", () => {
      expect(unmet, text).toEqual([]);
    });

    it("is valid, and reading it gives the handoff again", () => {
      const { valid, handoffs, diagnostics } = readHandoffs(text, { dialect: target });
      expect(
        diagnostics.filter(({ severity }) => severity === "error"),
        text,
      ).toEqual([]);
      expect(valid).toBe(true);
      const read = handoffs[0]?.handoff ?? { outcome: "failed" };
      const { dialect: _dialect, ...content } = { dialect: row.source, ...read };
      expect(Object.fromEntries(handoffParts(content))).toMatchObject(Object.fromEntries(handoffParts(handoff)));
    });
  },
);

/** Measured before the formats' contexts were filled: 66 % of the texts under `carried`, 71 % of the content only there. */
it("says most in the target's own fields", () => {
  expect(share(CONVERSIONS, "carried", "size")).toBeLessThan(0.4);
  expect(share(CONVERSIONS, "onlyCarried", "content")).toBeLessThan(0.2);
});

function share(all: readonly Conversion[], part: "carried" | "onlyCarried", whole: "size" | "content"): number {
  const sum = (key: typeof part | typeof whole) => all.reduce((total, one) => total + one[key], 0);
  return sum(part) / sum(whole);
}

/** Words by which the orchestrator of a format goes on. */
const GOES_ON = new Set(["PASS", "PASS_WITH_WARNINGS", "success", "skipped", "complete", "completed"]);
const MAY_GO_ON = new Set(["done", "done-with-warnings", "skipped"]);

it.each(CONVERSIONS.map((one) => [`${one.row.source} ${one.handoff.outcome} in ${one.target}`, one] as const))(
  "%s goes on only if the source does",
  (_title, { handoff, target, ownText }) => {
    const read = readHandoffs(ownText, { dialect: target }).handoffs[0]?.handoff;
    expect(GOES_ON.has(read?.status ?? ""), ownText).toBe(MAY_GO_ON.has(handoff.outcome));
  },
);
