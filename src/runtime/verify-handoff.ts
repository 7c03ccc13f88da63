import { CLAIM_TRAITS, type Claim, type Judgement } from "../evidence/claim.ts";
import { judgeClaims } from "../evidence/judge-claims.ts";
import { listClaims } from "../evidence/list-claims.ts";
import { observationsNeeded } from "../evidence/observations-needed.ts";
import {
  type ObservedCommand,
  type ObservedGate,
  type ObservedLedger,
  type Evidence,
  type Observations,
  NOTHING_SEEN,
} from "../evidence/observations.ts";
import type { Ports } from "../ports/ports.ts";
import type { Base, Snapshot } from "../ports/repository.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { retoldKey } from "../workflow/evolve-steps.ts";
import type { Problem } from "../workflow/input.ts";
import type { Action, Workflow } from "../workflow/definition.ts";
import { isBlocking } from "../workflow/rules/issue-ledger.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { retryWhileDiskFull } from "./retry-while-disk-full.ts";

/**
 * Records the state before the agent starts, to tell its changes from existing ones; null outside of a git repository.
 * It throws if the state cannot be recorded: work that cannot be verified later is not started.
 */
export async function markBase(
  ports: Ports,
  run: string,
  directory: string,
  series: string | undefined,
  signal: AbortSignal,
): Promise<Snapshot | null> {
  if (series === undefined) return null;
  try {
    return await retryWhileDiskFull(() => ports.repository.mark(directory, `${run}.${series}`), signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the state before the step cannot be noted: ${reason}; mend it, or write verify: off`, {
      cause: error,
    });
  }
}

interface HandoffToVerify {
  readonly handoff: Handoff;
  readonly directory: string;
  /** The state before the step. */
  readonly base: Snapshot | null;
  /** Files of the handoff itself and the manifest, which do not count as work. */
  readonly ownFiles: readonly string[];
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly task: TaskState;
  /** Aborted when the agent is to stop. */
  readonly signal: AbortSignal;
}

export interface Verified {
  readonly judgements: readonly Judgement[];
  /** Why the workspace could not be inspected although it should have been. */
  readonly problems: readonly Problem[];
}

/**
 * Inspects the workspace without running anything. Claims that only a gate can settle are unverifiable until it has
 * run. If the workspace cannot be inspected the handoff is not accepted: otherwise an agent could disable verification
 * by breaking the repository.
 */
export async function verifyHandoff(ports: Ports, subject: HandoffToVerify): Promise<Verified> {
  const claims = listClaims(subject.handoff);
  if (claims.length === 0) return { judgements: [], problems: [] };
  try {
    const base: Base | null = subject.base && { ...subject.base, name: "the state before the step" };
    const look = () => ports.repository.look(subject.directory, base, observationsNeeded(claims));
    const observations = await retryWhileDiskFull(look, subject.signal);
    if (base !== null && !observations.isRepository) return cannotLook(claims, "its repository is gone");
    const judged = judgeClaims(claims, sceneOf(ports, subject, observations));
    return { judgements: believeRetold(subject, withoutSums(subject, judged, claims)), problems: [] };
  } catch (error) {
    return cannotLook(claims, error instanceof Error ? error.message : String(error));
  }
}

function cannotLook(claims: readonly Claim[], reason: string): Verified {
  const evidence = `The workspace could not be looked at: ${reason}`;
  const hint = "Leave the repository and all files so that they can be read, and hand over again.";
  return {
    judgements: claims.map((claim) => unseen(claim, evidence)),
    problems: [{ message: `${evidence}.`, hint, where: null, rule: null }],
  };
}

/** An agent that repeats a claim after its work was sent back keeps the earlier confirmation. */
function believeRetold({ task }: HandoffToVerify, judged: readonly Judgement[]): Judgement[] {
  const agent = task.step?.agent ?? "";
  const earlier = new Set(Object.hasOwn(task.confirmed, agent) ? task.confirmed[agent] : []);
  return judged.map((judgement) =>
    judgement.verdict !== "confirmed" && earlier.has(retoldKey(judgement))
      ? { ...judgement, verdict: "confirmed", procedure: "confirmed in an earlier handoff of the same agent" }
      : judgement,
  );
}

/** If tasks share a folder, the number of changes or commits cannot be attributed to one of them. */
function withoutSums(
  { workflow, state }: HandoffToVerify,
  judged: readonly Judgement[],
  claims: readonly Claim[],
): Judgement[] {
  const isShared = workflow.parallel > 1 && Object.keys(state.tasks).length > 1;
  if (!isShared) return [...judged];
  return judged.map((judgement, at) =>
    SUMS.has(claims[at]?.about.of ?? "") ? { ...judgement, verdict: "unverifiable", evidence: SHARED } : judgement,
  );
}

const SUMS: ReadonlySet<string> = new Set(["all-changes", "commits-added", "files-changed", "files-counted"]);
const SHARED = "Other tasks work in the same folder: whose changes these are nobody can tell.";

function sceneOf(ports: Ports, subject: HandoffToVerify, observations: Observations): Evidence {
  const { workflow, state, task, ownFiles } = subject;
  const agent = workflow.agents[task.step?.agent ?? ""];
  return {
    observations: observations,
    ownFiles,
    gates: [],
    commands: [],
    ledger: agent === undefined ? null : ledgerOf(state, task, agent.loop),
    step: { startedAt: task.step?.startedAt ?? 0, phase: agent?.phase ?? null, endsRun: endsRun(subject) },
    now: ports.clock.now(),
    port: state.known["workspace.port"]?.value ?? null,
  };
}

/** True when the handoff claims to be final and the workflow allows its agent to end the run. */
function endsRun({ handoff, workflow, task }: HandoffToVerify): boolean {
  const routes = workflow.agents[task.step?.agent ?? ""]?.routes.done ?? [];
  return handoff.final === true && routes.some(({ action }) => mayEnd(action));
}

function mayEnd(action: Action): boolean {
  return action.kind === "end" || (action.kind === "choose" && action.from.includes("end"));
}

function ledgerOf(state: RunState, task: TaskState, loop: Workflow["loop"]): ObservedLedger[] {
  return Object.values(state.ledger)
    .filter((issue) => issue.task === task.id)
    .map((issue) => ({
      id: issue.id,
      status: issue.status,
      location: issue.location,
      isBlocking: isBlocking(issue, loop),
    }));
}

/** Claims of a handoff that a gate, or a command that was run, has settled. */
export function settledBy(
  ports: Ports,
  handoff: Handoff | null,
  shown: { readonly gates: readonly ObservedGate[]; readonly commands: readonly ObservedCommand[] },
): Judgement[] {
  if (handoff === null) return [];
  const claims = listClaims(handoff).filter(({ kind }) => CLAIM_TRAITS[kind].judgedBy === "gate");
  const evidence: Evidence = { ...EMPTY_SCENE, ...shown, now: ports.clock.now() };
  return judgeClaims(claims, evidence).filter(({ verdict }) => verdict !== "unverifiable");
}

const EMPTY_SCENE: Evidence = {
  observations: NOTHING_SEEN,
  ownFiles: [],
  gates: [],
  commands: [],
  ledger: null,
  step: null,
  now: 0,
  port: null,
};

function unseen({ kind, where, says }: Claim, evidence: string): Judgement {
  return { kind, where, says, verdict: "unverifiable", procedure: "none", evidence };
}
