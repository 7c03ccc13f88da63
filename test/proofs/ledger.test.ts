import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nextSeed, readLedger, type Row, totalOf } from "../../proofs/ledger.ts";
import { type Proof, PROOFS } from "../../proofs/proofs.ts";
import { projectRoot } from "../architecture/source-files.ts";

const [first] = PROOFS;
const proof = { ...(first as Proof), name: "kills", adds: true };

function row(more: Partial<Row>): Row {
  const commit = "0".repeat(40);
  return {
    proof: "kills",
    result: "held",
    count: 5,
    seed: 1,
    commit,
    ended: "2026-03-09T14:05:00Z",
    seconds: 1,
    ...more,
  };
}

describe("a proof", () => {
  it.each(PROOFS)("sets what its tests read: $name", ({ tests, environment }) => {
    const texts = tests.map((test) => withHelpers(join(projectRoot, test))).join("\n");
    expect(Object.keys(environment(1, 1)).filter((key) => !texts.includes(`"${key}"`))).toEqual([]);
  });

  it("adds up what held, and what belongs to it", () => {
    const rows = [row({}), row({ count: 7 }), row({ result: "broken", count: 100 }), row({ proof: "fuzz", count: 9 })];
    expect(totalOf(proof, rows)).toBe(12);
  });

  it("that meets the same inputs each time counts its largest run", () => {
    expect(totalOf({ ...proof, adds: false }, [row({ count: 7 }), row({ count: 5 })])).toBe(7);
    expect(totalOf({ ...proof, adds: false }, [])).toBe(0);
  });

  it("goes on behind everything that was tried, broken or not", () => {
    const rows = [row({ seed: 2_000_000, count: 10 }), row({ seed: 2_000_010, count: 5, result: "broken" })];
    expect(nextSeed(proof, rows)).toBe(2_000_015);
    expect(nextSeed(proof, [row({ proof: "fuzz", seed: 9_000_000 })])).toBe(1_000_000);
  });
});

describe("the ledger", () => {
  it("has whole lines about proofs that there are, and tries nothing twice", () => {
    const rows = readLedger();
    const names = PROOFS.map(({ name }) => name);
    for (const { proof: name, result, count, seed, commit, ended, seconds } of rows) {
      expect(names).toContain(name);
      expect(["held", "broken"]).toContain(result);
      expect([count, seed, seconds].every(Number.isSafeInteger)).toBe(true);
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      expect(new Date(ended).toISOString()).toBe(ended);
    }
    const spans = rows.map(({ proof: name, seed }) => `${name} ${seed}`);
    expect(new Set(spans).size).toBe(spans.length);
  });
});

/** A knob may stand in a file beside the test. */
function withHelpers(path: string): string {
  const text = readFileSync(path, "utf8");
  const beside = [...text.matchAll(/from "(\.\/[\w-]+\.ts)"/g)].map(([, name = ""]) => join(path, "..", name));
  return [text, ...beside.map((file) => readFileSync(file, "utf8"))].join("\n");
}
