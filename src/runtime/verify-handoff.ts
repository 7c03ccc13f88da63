import type { Claim, Judgement } from "../evidence/claim.ts";
import { judgeClaims } from "../evidence/judge-claims.ts";
import { listClaims } from "../evidence/list-claims.ts";
import { needsOf } from "../evidence/needs.ts";
import type { CommandSighting, GateSighting, LedgerSight, Scene, Sightings } from "../evidence/sightings.ts";
import type { Machine } from "../ports/machine.ts";
import type { Base, Snapshot } from "../ports/repository.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Workflow } from "../workflow/definition.ts";
import { isBlocking } from "../workflow/rules/issue-ledger.ts";
import type { RunState, TaskState } from "../workflow/state.ts";

/** Where a step began: the state before it, and before the agent's first one. */
export interface StepBases {
  readonly step: Snapshot | null;
  readonly first: Snapshot | null;
}

/** Noted before the agent starts, so that what it changed can be told from what was there. */
export async function markBases(
  machine: Machine,
  run: string,
  directory: string,
  began: TaskState["began"][string] | undefined,
): Promise<StepBases> {
  if (began === undefined) return { step: null, first: null };
  try {
    const step = await machine.repository.mark(directory, `${run}.${began.series}`);
    const first =
      began.first === began.series ? step : await machine.repository.mark(directory, `${run}.${began.first}`);
    return { step, first };
  } catch {
    // Claims about changes cannot be judged then, and say so; the work goes on.
    return { step: null, first: null };
  }
}

export interface HandoffToVerify {
  readonly handoff: Handoff;
  readonly directory: string;
  readonly bases: StepBases;
  /** Files of ours in the workspace: the handoff itself, the manifest. */
  readonly ownFiles: readonly string[];
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly task: TaskState;
}

/** By looking only: nothing is run. What only a gate can tell is unverifiable until it has run. */
export async function verifyHandoff(machine: Machine, subject: HandoffToVerify): Promise<readonly Judgement[]> {
  const claims = claimsOf(subject);
  if (claims.length === 0) return [];
  try {
    const judged = await judgeSince(machine, subject, claims, subject.bases.step, "the state before the step");
    return await believeEarlierWork(machine, subject, claims, judged);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return claims.map((claim) => unseen(claim, `The workspace could not be looked at: ${reason}`));
  }
}

/** An agent that is sent back lists what it did before, too: what is true since its first step is true. */
async function believeEarlierWork(
  machine: Machine,
  subject: HandoffToVerify,
  claims: readonly Claim[],
  judged: readonly Judgement[],
): Promise<readonly Judgement[]> {
  const { step, first } = subject.bases;
  const isDoubtful = (at: number): boolean => judged[at]?.verdict !== "confirmed" && RETOLD.has(claims[at]?.kind ?? "");
  const doubtful = claims.filter((_, at) => isDoubtful(at));
  if (first === null || first.tree === step?.tree || doubtful.length === 0) return judged;
  const again = await judgeSince(machine, subject, doubtful, first, "the state before the agent's first step");
  const confirmed = new Map(doubtful.map((claim, at) => [claim, again[at]]));
  return judged.map((judgement, at) => {
    const earlier = claims[at] === undefined ? undefined : confirmed.get(claims[at]);
    return earlier?.verdict === "confirmed" ? earlier : judgement;
  });
}

const RETOLD = new Set<string>(["file", "artifact", "commit"]);

async function judgeSince(
  machine: Machine,
  subject: HandoffToVerify,
  claims: readonly Claim[],
  snapshot: Snapshot | null,
  name: string,
): Promise<Judgement[]> {
  const base: Base | null = snapshot && { tree: snapshot.tree, commit: snapshot.commit, name };
  const sightings = await machine.repository.look(subject.directory, base, needsOf(claims));
  return judgeClaims(claims, sceneOf(machine, subject, sightings));
}

/** Of tasks that work at once nobody can tell who changed what nobody listed. */
function claimsOf({ handoff, workflow }: HandoffToVerify): Claim[] {
  const claims = listClaims(handoff);
  return workflow.parallel > 1 ? claims.filter(({ kind }) => kind !== "undeclared") : claims;
}

function sceneOf(machine: Machine, subject: HandoffToVerify, sightings: Sightings): Scene {
  const { workflow, state, task, ownFiles } = subject;
  const agent = workflow.agents[task.step?.agent ?? ""];
  return {
    sightings,
    ownFiles,
    gates: [],
    commands: [],
    ledger: agent === undefined ? null : ledgerOf(state, task, agent.loop),
    step: { startedAt: task.step?.startedAt ?? 0, phase: agent?.phase ?? null },
    now: machine.clock.now(),
    port: state.known["workspace.port"]?.value ?? null,
  };
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
  const scene: Scene = { ...NOTHING_SEEN, ...shown, now: machine.clock.now() };
  return judgeClaims(claims, scene).filter(({ verdict }) => verdict !== "unverifiable");
}

const SETTLED = new Set<string>(["test", "coverage", "check", "command"]);

const NOTHING_SEEN: Scene = {
  sightings: {
    isRepository: false,
    base: null,
    head: { commit: null, branch: null },
    changes: new Map(),
    files: new Map(),
    matches: new Map(),
    commits: new Map(),
    branches: new Map(),
    commitsSinceBase: null,
    target: null,
    workspace: { path: "", isLinkedWorktree: false },
  },
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
