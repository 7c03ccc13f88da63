import type { Draft } from "../draft.ts";
import type { ReportGate } from "../input.ts";
import { carryOut } from "./carry-out.ts";
import { gateRun } from "./next-gate.ts";

/** A gate has ended. */
export function passGate(draft: Draft, report: ReportGate): void {
  const waiting = Object.values(draft.state.tasks).flatMap(({ id, step }) => {
    const gate = step?.phase === "gates" ? draft.agent(step.agent).gates[step.gate] : undefined;
    return gate === undefined || step === null ? [] : [{ id, gate, run: gateRun(step.id, gate, step.passes) }];
  });
  const found = waiting.find(({ run }) => run === report.gateRun);
  if (found === undefined) {
    draft.record({ kind: "input-ignored", input: report.kind, why: `No step waits for gate ${report.gateRun}.` });
    return;
  }
  endGate(draft, found.id, found.gate, report);
}

function endGate(draft: Draft, task: string, gate: string, report: ReportGate): void {
  const { message, output, milliseconds } = report;
  const definition = draft.workflow.gates[gate];
  if (report.passed) {
    const isLast = draft.step(task).passes + 1 >= (definition?.times ?? 1);
    draft.record({ kind: "gate-passed", task, gate, isLast, message, milliseconds });
    return carryOut(draft, task, { do: "pass-gates" });
  }
  draft.record({ kind: "gate-failed", task, gate, message, output, milliseconds });
  const occasion = {
    why: `Gate ${gate} failed: ${message}`,
    details: output === "" ? [] : [output],
    isGate: true,
  };
  carryOut(draft, task, { do: "act", action: definition?.failed ?? { kind: "person" }, occasion });
}
