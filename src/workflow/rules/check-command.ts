import { isSameCommand } from "../../evidence/same-command.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import type { Workflow } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { Problem, ReportGate } from "../input.ts";
import type { Step } from "../state.ts";
import { askPerson } from "./ask-person.ts";
import { isFinished } from "./finished-work.ts";
import { noteJudgements, refutedClaims } from "./judge-handoff.ts";
import { NOTHING, type Turn } from "./turn.ts";

/**
 * Whoever takes the work over runs its validation command first (000-R37). What a handoff says is only a text:
 * it runs when it is a gate of the workflow, or when a person has approved these very bytes.
 */
export function checkCommand(draft: Draft, task: string): Turn {
  const command = commandOf(draft.handoff(task));
  const step = draft.step(task);
  if (command === null || step.commandDone || !isWorthRunning(draft, task)) return { do: "review" };
  const gate = gateFor(draft.workflow, command);
  if (gate !== null && draft.agent(step.agent).gates.includes(gate) && isFinished(draft, task)) return { do: "review" };
  if (gate !== null || draft.state.approved.includes(command)) {
    draft.want({ kind: "run-gate", task, step: step.id, gate, command, gateRun: commandRun(step) });
    return NOTHING;
  }
  if (draft.workflow.commands !== "ask") return { do: "review" };
  askPerson(draft, task, {
    kind: "command",
    agent: step.agent,
    title: `May the command that ${step.agent} brings run, in the sandbox?`,
    details: [command],
    choices: ["approve", "reject"],
  });
  return NOTHING;
}

/** A gate that has just that command; one that a handoff names by its words and nothing else. */
export function gateFor({ gates }: Workflow, command: string): string | null {
  return Object.values(gates).find((gate) => isSameCommand(gate.command, command))?.name ?? null;
}

function commandOf(handoff: Handoff | null): string | null {
  const command = handoff?.checks?.command;
  return command === undefined || command.trim() === "" || command.length > LONGEST ? null : command;
}

const LONGEST = 8192;

/** Work that goes on, and work that goes back: there the command shows what is wrong. */
function isWorthRunning(draft: Draft, task: string): boolean {
  return isFinished(draft, task) || asksForLoop(draft.handoff(task));
}

function asksForLoop(handoff: Handoff | null): boolean {
  return handoff?.routing?.loop?.required === true;
}

export function commandRun({ id, accepted }: Step): string {
  return `${id}.${accepted}/command`;
}

/** With a loop it is expected to fail, and stops nobody (ruling 30). */
export function endCommand(draft: Draft, task: string, report: ReportGate): Turn {
  const handoff = draft.handoff(task);
  const { agent } = draft.step(task);
  const { passed, message, output, milliseconds, judgements } = report;
  const command = handoff?.checks?.command ?? "";
  draft.record({ kind: "command-ended", task, command, passed, message, output, milliseconds });
  noteJudgements(draft, task, COMMAND, judgements);
  const problems = asksForLoop(handoff) ? [] : unmetBy(draft, agent, report);
  return problems.length === 0 ? { do: "review" } : { do: "send-back", problems };
}

/** One that was stopped has shown nothing, and what has not been shown is not believed. */
function unmetBy(draft: Draft, agent: string, { passed, message, judgements }: ReportGate): Problem[] {
  const refuted = refutedClaims(draft, agent, judgements);
  if (passed || refuted.length > 0 || draft.agent(agent).verify?.command !== "refuse") return refuted;
  const hint = "Make the command end by itself and pass, or give another one.";
  return [
    { message: `The validation command has not passed: ${message}.`, hint, where: "checks.command", rule: "000-R37" },
  ];
}

/** In the place of a gate's name. */
const COMMAND = "validation command";
