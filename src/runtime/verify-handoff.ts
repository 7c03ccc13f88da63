import { CLAIM_TRAITS, type Claim, type Judgement } from "../evidence/claim.ts";
import { judgeClaims } from "../evidence/judge-claims.ts";
import { declaredPaths } from "../evidence/claims/file-claims.ts";
import { impliedClaims, isWorthTelling } from "../evidence/claims/implied-claims.ts";
import { gateClaims, testsKeptClaim } from "../evidence/claims/gate-claims.ts";
import { listClaims } from "../evidence/list-claims.ts";
import { observationsNeeded } from "../evidence/observations-needed.ts";
import { type ObservedLedger, type Evidence, type Observations, NOTHING_SEEN } from "../evidence/observations.ts";
import type { Ports } from "../ports/ports.ts";
import type { Base, Snapshot } from "../ports/repository.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { retoldKey } from "../workflow/evolve-steps.ts";
import type { Problem } from "../workflow/input.ts";
import type { Action, Workflow } from "../workflow/definition.ts";
import { isBlocking, reporterOf, reportsIssues } from "../workflow/rules/issue-ledger.ts";
import type { RunState, TaskState } from "../workflow/state.ts";
import { writesTests } from "../workflow/writes-tests.ts";
import { lookAtDefinitions } from "./look-at-definitions.ts";
import { retryWhileDiskFull } from "./retry-while-disk-full.ts";

/** What looking at the workspace takes. */
type VerifyingPorts = Pick<Ports, "repository" | "workspace" | "clock">;

/**
 * Records the state before the agent starts, to tell its changes from existing ones; null outside of a git repository.
 * It throws if the state cannot be recorded: work that cannot be verified later is not started.
 */
export async function markBase(
  ports: VerifyingPorts,
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

/** Records the state at which issues are reported: what is said to be fixed must have changed since. */
export async function markFinding(
  ports: VerifyingPorts,
  directory: string,
  handoff: Handoff,
): Promise<Pick<Verified, "tree">> {
  if (!reportsIssues(handoff)) return {};
  const snapshot = await ports.repository.snapshot(directory).catch(() => null);
  return snapshot === null ? {} : { tree: snapshot.tree };
}

interface HandoffToVerify {
  readonly handoff: Handoff;
  readonly directory: string;
  /** The state before the step. */
  readonly base: Snapshot | null;
  /** The state before the first of the agent's consecutive steps, with which the rules of gates are compared. */
  readonly rulesBase: Snapshot | null;
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
  /** The files as they are, as a tree of git, when the handoff reports issues. */
  readonly tree?: string;
}

/**
 * Inspects the workspace without running anything. Claims that only a gate can settle are unverifiable until it has
 * run. If the workspace cannot be inspected the handoff is not accepted: otherwise an agent could disable verification
 * by breaking the repository.
 */
export async function verifyHandoff(ports: VerifyingPorts, subject: HandoffToVerify): Promise<Verified> {
  const { base, rulesBase, workflow, task } = subject;
  const said = listClaims(subject.handoff);
  const claims = base === null ? said : withImplied(said, subject);
  const isTester = writesTests(workflow, task.step?.agent ?? "");
  const rules = rulesBase === null ? [] : gateClaims(Object.values(workflow.gates), isTester);
  if (base?.tree === rulesBase?.tree) return verifySince(ports, subject, base, [...claims, ...rules]);
  const parts = [await verifySince(ports, subject, base, claims), await verifySince(ports, subject, rulesBase, rules)];
  return {
    judgements: parts.flatMap(({ judgements }) => judgements),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

async function verifySince(
  ports: VerifyingPorts,
  subject: HandoffToVerify,
  since: Snapshot | null,
  claims: readonly Claim[],
): Promise<Verified> {
  const said = claims.filter(({ isImplied }) => isImplied !== true);
  if (claims.length === 0) return { judgements: [], problems: [] };
  try {
    const base: Base | null = since && stateBefore(subject, since);
    const needs = { ...observationsNeeded(claims), startedAt: subject.state.startedAt };
    const look = () => ports.repository.look(subject.directory, base, needs);
    const observations = await retryWhileDiskFull(look, subject.signal);
    if (base !== null && !observations.isRepository) return cannotLook(said, "its repository is gone");
    const sinceFinding = await changesSinceFinding(ports, subject, claims, observations);
    const definitions = await lookAtDefinitions(ports, subject.directory, base, observations, claims);
    const scene = { ...sceneOf(ports, subject, observations), sinceFinding, ...definitions };
    const judged = withoutSums(subject, judgeClaims(claims, scene), claims);
    const told = judged.filter((judgement, at) => claims[at] === undefined || isWorthTelling(claims[at], judgement));
    return { judgements: believeRetold(subject, told), problems: [] };
  } catch (error) {
    return cannotLook(said, error instanceof Error ? error.message : String(error));
  }
}

/**
 * What has changed since each state at which an issue was reported that may be meant. The state before the step is
 * usually the same. A state whose files are lost tells nothing.
 */
async function changesSinceFinding(
  ports: VerifyingPorts,
  { directory, base, state, task }: HandoffToVerify,
  claims: readonly Claim[],
  { changes }: Observations,
): Promise<NonNullable<Evidence["sinceFinding"]>> {
  const fixes = claims.filter(({ about }) => about.of === "fix" || about.of === "resolved");
  const seen = new Map<string, Observations["changes"]>();
  if (fixes.length === 0) return seen;
  const needs = { ...observationsNeeded(fixes), paths: [] };
  const trees = Object.values(state.ledger).flatMap((issue) => (issue.task === task.id ? treeOf(issue) : []));
  for (const tree of [...new Set(trees)].slice(-MAX_FINDINGS)) {
    if (tree === base?.tree) seen.set(tree, changes);
    else {
      const look = ports.repository.look(directory, { tree, commit: null, name: "the finding" }, needs);
      const found = await look.catch(() => null);
      if (found?.isRepository === true) seen.set(tree, found.changes);
    }
  }
  return seen;
}

const MAX_FINDINGS = 10;

function withImplied(said: readonly Claim[], subject: HandoffToVerify): Claim[] {
  const own = notOfStep(subject);
  const implied = impliedClaims(subject.handoff, said).filter(({ about }) => !isShared(subject) || !SUMS.has(about.of));
  return [...said, ...implied].map((claim) =>
    "declared" in claim.about
      ? { ...claim, about: { ...claim.about, declared: [...claim.about.declared, ...own] } }
      : claim,
  );
}

/**
 * Files that changed since the base and that this handoff need not list: those that Baton writes itself, reports of gates
 * that run in the workspace, and what the agent has listed before, in a series of steps that has one base.
 */
function notOfStep({ handoff, workflow, state, task }: HandoffToVerify): string[] {
  const { step, began, last } = task;
  const isLater = step !== null && last?.agent === step.agent && began[step.agent] !== step.id;
  const directory = handoff.work?.directory ?? state.known["directory"]?.value;
  const sources = [...workflow.tasks, ...Object.values(state.tasks)];
  return [
    ...(isLater ? declaredPaths(last.handoff, listClaims(last.handoff)) : []),
    ...(directory === undefined ? [] : [`${directory}/MANIFEST.yaml`]),
    ...sources.flatMap(({ source }) => source?.path ?? []),
    ...Object.values(workflow.gates).flatMap(({ place, reports }) => (place === "workspace" ? reports : [])),
  ];
}

/** The workflow may have its agent commit under another address than the operator's. */
function stateBefore({ workflow, task }: HandoffToVerify, base: Snapshot): Base {
  const named = { ...base, name: "the state before the step", isKnown: true };
  const runner = workflow.agents[task.step?.agent ?? ""]?.runner;
  if (base.noted === undefined || runner?.kind !== "process") return named;
  const isInherited = runner.inherit.some((name) => ADDRESSES.includes(name));
  const own = ADDRESSES.flatMap((name) => runner.environment[name] ?? []);
  const accounts = isInherited || base.noted.accounts.length === 0 ? [] : [...base.noted.accounts, ...own];
  return { ...named, noted: { ...base.noted, accounts } };
}

const ADDRESSES: readonly string[] = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "EMAIL"];

/** A name of git's own, and nothing that it could take for an option. */
function treeOf({ tree = "" }: RunState["ledger"][string]): string[] {
  return /^[0-9a-f]{40,64}$/.test(tree) ? [tree] : [];
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
function withoutSums(subject: HandoffToVerify, judged: readonly Judgement[], claims: readonly Claim[]): Judgement[] {
  if (!isShared(subject)) return [...judged];
  return judged.map((judgement, at) => {
    if (!SUMS.has(claims[at]?.about.of ?? "")) return judgement;
    const { isUnnamed: _named, isDoubtful: _doubt, ...rest } = judgement;
    return { ...rest, verdict: "unverifiable", evidence: SHARED };
  });
}

/** In a session of a client the person works in the same folder, and so may other sessions. */
function isShared({ workflow, state }: HandoffToVerify): boolean {
  return state.observed !== undefined || (workflow.parallel > 1 && Object.keys(state.tasks).length > 1);
}

const SUMS: ReadonlySet<string> = new Set([
  "all-changes",
  "unlisted",
  "all-commits",
  "left-alone",
  "commits-added",
  "files-changed",
  "files-counted",
  "lines",
  "commits-counted",
  "gate-files",
  "test-files",
  "lockfile",
  "gate-folders",
  "exclusions",
]);
const SHARED = "Others work in the same folder: whose changes these are nobody can tell.";

function sceneOf(ports: VerifyingPorts, subject: HandoffToVerify, observations: Observations): Evidence {
  const { workflow, state, task, ownFiles } = subject;
  const agent = workflow.agents[task.step?.agent ?? ""];
  return {
    observations: observations,
    ownFiles,
    gates: [],
    commands: [],
    ledger: agent === undefined ? null : ledgerOf(state, task, agent.loop),
    step: {
      startedAt: task.step?.startedAt ?? 0,
      phase: agent?.phase ?? null,
      endsRun: endsRun(subject),
      runStartedAt: state.startedAt,
      run: runOf(state, task),
    },
    now: ports.clock.now(),
    port: state.known["workspace.port"]?.value ?? null,
  };
}

function runOf(state: RunState, { round, step }: TaskState): NonNullable<NonNullable<Evidence["step"]>["run"]> {
  const { startedAt, iteration, steps, spent } = state;
  return { startedAt, iteration, round, steps: steps + (step?.attempts ?? 0), worked: spent.agent };
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
      ...(isRetold(issue, task.step?.agent) && { isRetold: true }),
      ...(issue.tree !== undefined && { tree: issue.tree }),
    }));
}

/** Whether an agent that calls the issue fixed can only repeat it: it has found it, or it was told so by others. */
function isRetold(issue: RunState["ledger"][string], agent: string | undefined): boolean {
  const isOfOther = issue.claimed !== undefined && issue.claimed.by !== agent;
  return issue.status !== "open" || isOfOther || reporterOf(issue) === agent;
}

/** Claims of a handoff that a gate, or a command that was run, has settled. */
export function settledBy(
  ports: VerifyingPorts,
  handoff: Handoff | null,
  shown: Pick<Evidence, "gates" | "commands" | "compared">,
): Judgement[] {
  if (handoff === null) return [];
  const stated = listClaims(handoff).filter(({ kind }) => CLAIM_TRAITS[kind].judgedBy === "gate");
  const claims = [...stated, ...(shown.compared ?? []).map(({ gate }) => testsKeptClaim(gate))];
  const evidence: Evidence = { ...EMPTY_SCENE, ...shown, now: ports.clock.now() };
  return judgeClaims(claims, evidence).filter(
    ({ kind, verdict }) => verdict !== "unverifiable" || kind === "tests-kept",
  );
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
