import { describe, expect, it } from "vitest";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import type { ObservedGate } from "../../src/evidence/observations.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { remarksOf } from "../../src/workflow/remarks.ts";
import { sampleEvidence, sampleGate } from "../truth/sample-evidence.ts";
import { HandDrivenRun, buildAgent, buildGate, buildWorkflow } from "./build-workflow.ts";

const CLEAN: Handoff = {
  dialect: "pipeline-json",
  outcome: "done",
  metrics: { lint: "passed", build: "passed", dependencies: "installed", tests: "passed" },
};

function judged(gates: readonly ObservedGate[]) {
  return judgeClaims(listClaims(CLEAN), sampleEvidence({}, { gates }));
}

const agent = { runner: buildAgent("Builder").runner };

function run(more: Parameters<typeof buildAgent>[1], gates = {}): HandDrivenRun {
  const workflow = buildWorkflow([buildAgent("Builder", { ...agent, ...more })], { gates });
  return new HandDrivenRun(workflow).handIn(CLEAN, "main", { judgements: judged([]) });
}

describe("a check that is said to pass", () => {
  it("is told as unproven when no gate has run that proves it", () => {
    const { state, workflow } = run({});
    expect(state).toMatchObject({ status: "completed", reason: "done, but 3 claims unproven" });
    expect(remarksOf(workflow, state)).toEqual([
      { kind: "unproven", text: "Builder claims it, and no gate proves it: Tests: all pass." },
      { kind: "unproven", text: "Builder claims it, and no gate proves it: The check lint passes." },
      { kind: "unproven", text: "Builder claims it, and no gate proves it: The check build passes." },
    ]);
  });

  it("is proven by a gate of the step", () => {
    const lint = sampleGate({ gate: "lint", proves: ["lint"], command: ["npm", "run", "lint"] });
    const judgements = judged([lint]).filter(({ verdict }) => verdict === "confirmed");
    const going = run({ gates: ["lint"] }, { lint: buildGate("lint") });
    const { gateRun } = going.effects[0] as { gateRun: string };
    const report = { kind: "report-gate", output: "", milliseconds: 1, figures: null, passed: true } as const;
    going.tell({ ...report, message: "passed", gateRun, judgements });
    expect(going.state).toMatchObject({ status: "completed", reason: "done, but 2 claims unproven" });
  });

  it("is believed of an agent that comes along and runs it itself", () => {
    const builtin = { kind: "builtin", name: "validator", options: {} } as never;
    expect(run({ runner: builtin }).state.reason).toBe("done");
  });
});
