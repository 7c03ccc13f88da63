import { describe, expect, it } from "vitest";
import { readTrials, runTrial, TABLES, type Trial } from "../../proofs/trials/run-trials.ts";

/** The tables under `proofs/trials` say what each run has to decide: a few of them here, all of them as a proof. */
const HERE = ["P03", "I12", "C07", "K05", "F05"];
const MANY = Number(process.env["BATON_TRIALS"] ?? HERE.length);

const trials = TABLES.flatMap(readTrials);
const isHere = ({ id }: Trial): boolean => HERE.includes(id);
const order = [...trials.filter(isHere), ...trials.filter((trial) => !isHere(trial))];

describe("the ready workflows decide as written down before", () => {
  it("in a hundred runs", () => {
    expect(trials.length).toBe(100);
    expect(new Set(trials.map(({ id }) => id)).size).toBe(100);
  });

  it.concurrent.each(order.slice(0, MANY))("$id: $behaviour", { timeout: 120_000 }, async (trial) => {
    expect((await runTrial(trial)).wrong).toEqual([]);
  });
});
