import type { Draft } from "../draft.ts";
import type { ReportGate } from "../input.ts";
import type { Step } from "../state.ts";
import { runRules } from "./run-rules.ts";
import { noteJudgements, refutedClaims } from "./accept-handoff.ts";
import { askForResult, gateRun, failGate, unmetRequirement, commandRun, endCommand } from "./gates.ts";
import { closeProven } from "./issue-ledger.ts";
import { askAboutClaims } from "./ask-about-claims.ts";
import type { NextRule } from "./next-rule.ts";
import { askAboutFiles } from "./ask-person.ts";

/** A gate, or a command that a handoff brought, has ended. */
export function passGate(draft: Draft, report: ReportGate): void {
  for (const { id, step } of Object.values(draft.state.tasks)) {
    if (step?.phase !== "gates") continue;
    const isOfStep = report.gateRun === gateRunOf(draft, step) || report.gateRun === commandRun(step);
    if (isOfStep && report.untrusted !== undefined) return askAboutFiles(draft, id, report.untrusted, report.gateRun);
    if (report.gateRun === gateRunOf(draft, step)) return runRules(draft, id, endGate(draft, id, report));
    if (report.gateRun === commandRun(step)) return runRules(draft, id, endCommand(draft, id, report));
  }
  draft.record({ kind: "input-ignored", input: report.kind, why: `No step waits for gate ${report.gateRun}.` });
}

function gateRunOf(draft: Draft, step: Step): string | null {
  const name = draft.agent(step.agent).gates[step.gate];
  return name === undefined ? null : gateRun(step, name);
}

function endGate(draft: Draft, task: string, report: ReportGate): NextRule {
  const { agent, gate: at, passes } = draft.step(task);
  const name = draft.agent(agent).gates[at] ?? "";
  const gate = draft.workflow.gates[name];
  if (gate === undefined)
    return { do: "act", action: { kind: "person" }, occasion: { why: `There is no gate ${name}` } };
  const { message, milliseconds, output, figures, judgements } = report;
  noteJudgements(draft, task, name, judgements);
  const refuted = refutedClaims(draft, agent, judgements);
  if (report.isUnusable === true) return askForResult(draft, task, gate, { message, output, milliseconds });
  if (!report.passed) return failGate(draft, task, gate, { message, output, milliseconds, details: refuted.map(tell) });
  const isLast = passes + 1 >= gate.times;
  const unmet = isLast ? unmetRequirement(draft, task, gate, figures) : null;
  if (unmet !== null) return failGate(draft, task, gate, { message: unmet, output, milliseconds });
  draft.record({ kind: "gate-passed", task, gate: name, isLast, message, milliseconds, figures });
  if (isLast) closeProven(draft, task, gate);
  if (refuted.length > 0) return { do: "send-back", problems: refuted };
  return askAboutClaims(draft, task, judgements) ?? { do: "pass-gates" };
}

function tell({ message, hint }: { readonly message: string; readonly hint: string | null }): string {
  return hint === null ? message : `${message} ${hint}`;
}
