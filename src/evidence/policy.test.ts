import { describe, expect, it } from "vitest";
import { CLAIM_KINDS, type Judgement } from "./claim.ts";
import { DEFAULT_POLICY, countVerdicts, explainRefuted, refusedBy } from "./policy.ts";

const judgement: Judgement = {
  kind: "file",
  where: "work.created.0",
  says: "The file a.ts was created.",
  verdict: "refuted",
  procedure: "git diff against the state before the step",
  evidence: "There is no such file, and there was none before.",
};

describe("a policy on claims", () => {
  it("refuses refuted claims of the kinds it names, and nothing else", () => {
    const all: Judgement[] = [
      judgement,
      { ...judgement, verdict: "confirmed" },
      { ...judgement, verdict: "unverifiable" },
      { ...judgement, kind: "time" },
      { ...judgement, kind: "skill" },
    ];
    expect(refusedBy(all, DEFAULT_POLICY)).toEqual([judgement]);
    expect(refusedBy(all, { ...DEFAULT_POLICY, file: "warn", time: "refuse" })).toEqual([all[3]]);
    expect(countVerdicts(all)).toEqual({ confirmed: 1, refuted: 3, unverifiable: 1 });
  });

  it("knows every kind, and has advice for it", () => {
    expect(Object.keys(DEFAULT_POLICY).sort()).toEqual([...CLAIM_KINDS].sort());
    for (const kind of CLAIM_KINDS) expect(explainRefuted({ ...judgement, kind }).hint).toMatch(/\.$/);
  });

  it("tells the author what is not true, what was seen, and how", () => {
    expect(explainRefuted(judgement)).toEqual({
      message:
        "Not true: The file a.ts was created. There is no such file, and there was none before. " +
        "(git diff against the state before the step)",
      hint: "Do the work, or list the file with the change and the lines that it really has.",
    });
  });
});
