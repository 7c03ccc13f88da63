import type { Claim, Judgement } from "../evidence/claim.ts";
import { judgeClaims } from "../evidence/judge-claims.ts";
import { listClaims } from "../evidence/list-claims.ts";
import { needsOf } from "../evidence/needs.ts";
import {
  type CommandSighting,
  type GateSighting,
  type LedgerSight,
  type Scene,
  type Sightings,
  NOTHING_SEEN,
} from "../evidence/sightings.ts";
import type { Machine } from "../ports/machine.ts";
import type { Base, Snapshot } from "../ports/repository.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { SETTLED, retoldKey } from "../workflow/evolve-claims.ts";
import type { Problem } from "../workflow/input.ts";
import type { Action, Workflow } from "../workflow/definition.ts";
import { isBlocking } from "../workflow/rules/issue-ledger.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { whenThereIsRoom } from "./when-there-is-room.ts";

/**
 * Noted before the agent starts, so that what it changed can be told from what was there; null where git does not
 * rule. That it cannot be noted is told: work that nobody can judge afterwards is better not begun.
 */
export async function markBase(
  machine: Machine,
  run: string,
  directory: string,
  series: string | undefined,
  signal: AbortSignal,
): Promise<Snapshot | null> {
  if (series === undefined) return null;
  try {
    return await whenThereIsRoom(() => machine.repository.mark(directory, `${run}.${series}`), signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the state before the step cannot be noted: ${reason}; mend it, or write verify: off`, {
      cause: error,
    });
  }
}

export interface HandoffToVerify {
  readonly handoff: Handoff;
  readonly directory: string;
  /** The state before the step. */
  readonly base: Snapshot | null;
  /** Files of ours in the workspace: the handoff itself, the manifest. */
  readonly ownFiles: readonly string[];
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly task: TaskState;
  /** Its agent is to stop: nothing is waited for any more. */
  readonly signal: AbortSignal;
}

export interface Verified {
  readonly judgements: readonly Judgement[];
  /** Why the work could not be looked at although it should have been. */
  readonly problems: readonly Problem[];
}

/**
 * By looking only: nothing is run. What only a gate can tell is unverifiable until it has run. Work that cannot be
 * looked at is not believed: whoever makes it so would otherwise have switched the looking off.
 */
export async function verifyHandoff(machine: Machine, subject: HandoffToVerify): Promise<Verified> {
  const claims = listClaims(subject.handoff);
  if (claims.length === 0) return { judgements: [], problems: [] };
  try {
    const base: Base | null = subject.base && { ...subject.base, name: "the state before the step" };
    const look = () => machine.repository.look(subject.directory, base, needsOf(claims));
    const sightings = await whenThereIsRoom(look, subject.signal);
    if (base !== null && !sightings.isRepository) return cannotLook(claims, "its repository is gone");
    const judged = judgeClaims(claims, sceneOf(machine, subject, sightings));
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

/** An agent that is sent back lists again what it did before: what was confirmed of it then stays so. */
function believeRetold({ task }: HandoffToVerify, judged: readonly Judgement[]): Judgement[] {
  const agent = task.step?.agent ?? "";
  const earlier = new Set(Object.hasOwn(task.confirmed, agent) ? task.confirmed[agent] : []);
  return judged.map((judgement) =>
    judgement.verdict !== "confirmed" && earlier.has(retoldKey(judgement))
      ? { ...judgement, verdict: "confirmed", procedure: "confirmed in an earlier handoff of the same agent" }
      : judgement,
  );
}

/** Of tasks that work at once in one folder nobody can tell who changed or committed how much. */
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

function sceneOf(machine: Machine, subject: HandoffToVerify, sightings: Sightings): Scene {
  const { workflow, state, task, ownFiles } = subject;
  const agent = workflow.agents[task.step?.agent ?? ""];
  return {
    sightings,
    ownFiles,
    gates: [],
    commands: [],
    ledger: agent === undefined ? null : ledgerOf(state, task, agent.loop),
    step: { startedAt: task.step?.startedAt ?? 0, phase: agent?.phase ?? null, endsRun: endsRun(subject) },
    now: machine.clock.now(),
    port: state.known["workspace.port"]?.value ?? null,
  };
}

/** By its word, and with the leave of the workflow. */
function endsRun({ handoff, workflow, task }: HandoffToVerify): boolean {
  const routes = workflow.agents[task.step?.agent ?? ""]?.routes.done ?? [];
  return handoff.final === true && routes.some(({ action }) => mayEnd(action));
}

function mayEnd(action: Action): boolean {
  return action.kind === "end" || (action.kind === "choose" && action.from.includes("end"));
}

function ledgerOf(state: RunState, task: TaskState, loop: Workflow["loop"]): LedgerSight[] {
  return Object.values(state.ledger)
    .filter((issue) => issue.task === task.id)
    .map((issue) => ({
      id: issue.id,
      status: issue.status,
      location: issue.location,
      isBlocking: isBlocking(issue, loop),
    }));
}

/** What a gate, or a command that was run, has settled of the claims of a handoff. */
export function settledBy(
  machine: Machine,
  handoff: Handoff | null,
  shown: { readonly gates: readonly GateSighting[]; readonly commands: readonly CommandSighting[] },
): Judgement[] {
  if (handoff === null) return [];
  const claims = listClaims(handoff).filter(({ kind }) => SETTLED.has(kind));
  const scene: Scene = { ...EMPTY_SCENE, ...shown, now: machine.clock.now() };
  return judgeClaims(claims, scene).filter(({ verdict }) => verdict !== "unverifiable");
}

const EMPTY_SCENE: Scene = {
  sightings: NOTHING_SEEN,
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
