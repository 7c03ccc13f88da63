import type { GateDefinition, Workflow } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { Step } from "../state.ts";
import { NOTHING, type NextRule } from "./next-rule.ts";
import type { Figures } from "../../evidence/observations.ts";
import { holds, conditionNames } from "../../shared/condition.ts";
import { factsOf } from "./facts.ts";
import { isSameCommand } from "../../evidence/check-word.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import type { Problem, ReportGate } from "../input.ts";
import { askAboutClaims } from "./ask-about-claims.ts";
import { askPerson } from "./ask-person.ts";
import { noteJudgements, refutedClaims } from "./accept-handoff.ts";
import { requiredLoop } from "./requested-next.ts";

/** Runs the next gate of the step, or goes on when all have passed. */
export function nextGate(draft: Draft, task: string): NextRule {
  const step = draft.step(task);
  const { id, agent, gate } = step;
  const name = draft.agent(agent).gates[gate];
  if (name === undefined || !isFinished(draft, task)) return { do: "check-command" };
  const definition = draft.workflow.gates[name];
  if (definition !== undefined && definition.command.length === 0) return judgeOnly(draft, task, definition);
  draft.want({ kind: "run-gate", task, step: id, gate: name, command: null, gateRun: gateRun(step, name) });
  return NOTHING;
}

/** A gate without a command checks only its requirement. */
function judgeOnly(draft: Draft, task: string, gate: GateDefinition): NextRule {
  const unmet = unmetRequirement(draft, task, gate, null);
  if (unmet !== null) return failGate(draft, task, gate, { message: unmet, output: "", milliseconds: 0 });
  const message = gate.require?.text ?? "";
  draft.record({ kind: "gate-passed", task, gate: gate.name, isLast: true, message, milliseconds: 0, figures: null });
  return { do: "pass-gates" };
}

/** The id of one gate run: step, handoff, and its number among the runs that must pass. */
export function gateRun({ id, accepted, passes }: Step, gate: string): string {
  return `${id}.${accepted}/${gate}/${passes + 1}`;
}

/** Why a gate's requirement does not hold, as a sentence; null when it holds. An unknown value does not hold. */
export function unmetRequirement(
  draft: Draft,
  task: string,
  { require }: GateDefinition,
  figures: Figures | null,
): string | null {
  if (require === null) return null;
  const state = draft.task(task);
  const facts = factsOf(draft.state, state, draft.handoff(task), draft.agent(draft.step(task).agent).loop, figures);
  if (holds(require.condition, facts)) return null;
  const seen = conditionNames(require.condition).map((name) => `${name} is ${String(facts(name) ?? "not known")}`);
  return `it requires ${require.text}, but ${seen.join(", ")}`;
}

interface GateEnd {
  readonly message: string;
  readonly output: string;
  readonly milliseconds: number;
  /** Further details for the author of the work. */
  readonly details?: readonly string[];
}

/**
 * A gate without a result passes nothing and refutes nothing, whatever the workflow says about its failure: the agent is
 * told once, then a person is asked.
 */
export function askForResult(draft: Draft, task: string, gate: GateDefinition, end: GateEnd): NextRule {
  const { message, output, milliseconds } = end;
  const { unusable, retries } = draft.task(task);
  const { agent } = draft.step(task);
  const isTold = unusable.some((known) => known.agent === agent && known.gate === gate.name);
  const failed = { kind: "gate-failed", task, gate: gate.name, message, output, milliseconds } as const;
  draft.record({ ...failed, isUnusable: true });
  const occasion = {
    why: `Gate ${gate.name} has no result: ${message}`,
    details: output === "" ? [] : [output],
    isGate: true,
  };
  const person = { kind: "person" } as const;
  return { do: "act", action: isTold ? person : { kind: "retry", most: retries + 1, then: person }, occasion };
}

export function failGate(draft: Draft, task: string, gate: GateDefinition, end: GateEnd): NextRule {
  const { message, output, milliseconds, details = [] } = end;
  draft.record({ kind: "gate-failed", task, gate: gate.name, message, output, milliseconds });
  const occasion = {
    why: `Gate ${gate.name} failed: ${message}`,
    details: output === "" ? details : [...details, output],
    isGate: true,
  };
  return { do: "act", action: gate.failed, occasion };
}

/** Outcomes that lead forward: all of them have to pass the gates. */
const GO_ON: readonly string[] = ["done", "done-with-warnings", "needs-review", "skipped"];

/** Unfinished work skips the gates and goes straight to its route; so does work that requires a loop. */
function isFinished(draft: Draft, task: string): boolean {
  const { routeAs } = draft.step(task);
  const handoff = draft.handoff(task);
  if (routeAs === null && requiredLoop(handoff) !== null) return false;
  return GO_ON.includes(routeAs ?? handoff?.outcome ?? "");
}

/**
 * Runs the validation command of a handoff before the next agent starts (000-R37). The command is untrusted text:
 * it runs only if it is a gate of the workflow, or if a person has approved exactly these bytes.
 */
export function checkCommand(draft: Draft, task: string): NextRule {
  const command =
    draft.handoff(task)?.checks?.command?.trim() === "" ? undefined : draft.handoff(task)?.checks?.command;
  const step = draft.step(task);
  if (command === undefined || step.commandDone) return { do: "review" };
  const gate = gateFor(draft.workflow, command);
  const why = whyNotRun(draft, task, command, gate);
  if (why !== null) {
    draft.record({ kind: "command-skipped", task, command: command.slice(0, LONGEST), why });
    return { do: "review" };
  }
  if (gate !== null || draft.state.approved.includes(command)) {
    draft.want({ kind: "run-gate", task, step: step.id, gate, command, gateRun: commandRun(step) });
    return NOTHING;
  }
  askPerson(draft, task, {
    kind: "command",
    agent: step.agent,
    title: `May the command that ${step.agent} brings run, in the sandbox?`,
    details: [command],
    choices: ["approve", "reject"],
  });
  return NOTHING;
}

/** The gate whose command is exactly this text. */
export function gateFor({ gates }: Workflow, command: string): string | null {
  return Object.values(gates).find((gate) => isSameCommand(gate.command, command))?.name ?? null;
}

const LONGEST = 8192;

/** Why the command is neither run nor asked about, as a sentence; null when it is. */
function whyNotRun(draft: Draft, task: string, command: string, gate: string | null): string | null {
  const { agent } = draft.step(task);
  if (command.length > LONGEST) return `It is longer than ${LONGEST} characters.`;
  if (!isWorthRunning(draft, task))
    return `The handoff is ${draft.handoff(task)?.outcome ?? "missing"}: its command would prove nothing.`;
  if (gate !== null && draft.agent(agent).gates.includes(gate) && isFinished(draft, task))
    return `It is gate ${gate}, which has run.`;
  if (gate !== null || draft.state.approved.includes(command) || draft.workflow.commands === "ask") return null;
  return "It is no gate of the workflow, and the workflow does not let other commands run (`commands: never`).";
}

/** The command is run for work that goes on and for work that goes back, where it shows what is wrong. */
function isWorthRunning(draft: Draft, task: string): boolean {
  return isFinished(draft, task) || asksForLoop(draft.handoff(task));
}

function asksForLoop(handoff: Handoff | null): boolean {
  return handoff?.routing?.loop?.required === true;
}

export function commandRun({ id, accepted }: Step): string {
  return `${id}.${accepted}/command`;
}

/** In a loop the command is expected to fail and does not stop the work (ruling 30). */
export function endCommand(draft: Draft, task: string, report: ReportGate): NextRule {
  const handoff = draft.handoff(task);
  const { agent } = draft.step(task);
  const { passed, message, output, milliseconds, judgements } = report;
  const command = handoff?.checks?.command ?? "";
  draft.record({ kind: "command-ended", task, command, passed, message, output, milliseconds });
  noteJudgements(draft, task, COMMAND, judgements);
  const problems = asksForLoop(handoff) ? [] : unmetBy(draft, agent, report);
  if (problems.length > 0) return { do: "send-back", problems };
  return (asksForLoop(handoff) ? null : askAboutClaims(draft, task, judgements)) ?? { do: "review" };
}

/** A command that was stopped proves nothing, so it counts as failed. */
function unmetBy(draft: Draft, agent: string, { passed, message, judgements }: ReportGate): Problem[] {
  const refuted = refutedClaims(draft, agent, judgements);
  if (passed || refuted.length > 0 || draft.agent(agent).verify?.command !== "refuse") return refuted;
  const hint = "Make the command end by itself and pass, or give another one.";
  return [
    { message: `The validation command has not passed: ${message}.`, hint, where: "checks.command", rule: "000-R37" },
  ];
}

/** Used in place of a gate's name. */
const COMMAND = "validation command";
