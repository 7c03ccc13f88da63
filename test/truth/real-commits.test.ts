import { delimiter } from "node:path";
import { describe, expect, it } from "vitest";
import { add, verifyCommits } from "../../proofs/true-handoffs/verify-commits.ts";
import { FORMATS } from "../../proofs/true-handoffs/tell-commit.ts";

/** Nothing of other repositories is in ours: who has clones names them, and `npm run prove -- true-handoffs` needs them. */
const CLONES = (process.env["BATON_CLONES"] ?? "").split(delimiter).filter((clone) => clone !== "");
const WANTED = Number(process.env["BATON_TRUE_HANDOFFS"] ?? 0);
const SEED = Number(process.env["BATON_SEED"] ?? 1);

describe("true handoffs about commits of public repositories", () => {
  it.skipIf(WANTED === 0)("are never refuted", { timeout: 3_600_000 }, async () => {
    expect(CLONES, "BATON_CLONES names no clones").not.toEqual([]);
    const each = Math.ceil(WANTED / CLONES.length / FORMATS.length);
    const results = await Promise.all(CLONES.map(async (clone) => verifyCommits(clone, each, SEED, false)));
    const all = results.reduce(add);
    expect(all.wrong).toEqual([]);
    expect(all.handoffs).toBeGreaterThanOrEqual(WANTED);
    expect(all.confirmed).toBeGreaterThan(WANTED);
  });
});
