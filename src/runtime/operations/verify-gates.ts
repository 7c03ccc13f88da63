import type { ObservedGate, NeededObservations } from "../../evidence/observations.ts";
import type { GateDefinition, Workflow, AgentDefinition } from "../../workflow/definition.ts";
import { AppError } from "../../shared/app-error.ts";
import { Problems } from "../../protocol/file-problems.ts";
import { readGate } from "../../workflow/file/read-gate.ts";
import type { ComparedGate } from "../../evidence/test-cases.ts";
import type { Base } from "../../ports/repository.ts";
import type { VerifyContext } from "../engine.ts";
import { type JobEnd, runJob } from "../run-gate.ts";
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { CLAIM_KINDS } from "../../evidence/claim.ts";
import { CLAIM_ANSWERS, type ClaimAnswer, type ClaimPolicy, DEFAULT_POLICY, answerTo } from "../../evidence/policy.ts";
import { writesTests } from "../../workflow/writes-tests.ts";
import { ownValue } from "../../shared/json-value.ts";

/** A gate that verification runs. */
export type VerifyGate = GateDefinition;

/** The result of a gate. */
export interface GateRun extends ObservedGate {
  /** The same gate on the state before the work; null when there is nothing to compare. */
  readonly compared: ComparedGate | null;
  /** False when the command could not start, was stopped or left no report: then it has shown nothing. */
  readonly hasAnswered: boolean;
  readonly outcome: GateOutcome;
  readonly milliseconds: number;
  /** The end of its output. */
  readonly output: string;
  /** For a gate that failed: files that git ignores, and that the clean copy therefore lacks. */
  readonly missing: readonly string[];
}

/** `unusable`: it could not start, or a requested report is missing, so its result is not known. */
type GateOutcome = "passed" | "failed" | "unusable";

/** The gates to run, and the folders to bring into the copies. */
export interface GateOrder {
  readonly gates: readonly VerifyGate[];
  /** Folders named by the operator that git ignores. */
  readonly bring: readonly string[];
  readonly signal: AbortSignal;
  readonly onGate: (name: string) => void;
}

/** The state before the work, which some gates are compared with. */
type Before = Base | null;

/** A gate from the operator's command line, with the default limits of workflow gates. */
export function gateOf(name: string, command: readonly string[], reports: readonly string[]): VerifyGate {
  return readGate(name, { command: [...command], reports: [...reports] }, new Problems());
}

/** Gates of a workflow with a command. Gates that only have a requirement are left out. */
export function gatesOf(workflow: Workflow): VerifyGate[] {
  return Object.values(workflow.gates).filter(({ command }) => command.length > 0);
}

/** Names of gates without a command: their requirements can be checked only in a run. */
export function requirementsOf(workflow: Workflow): string[] {
  return Object.values(workflow.gates).flatMap(({ name, command }) => (command.length > 0 ? [] : [name]));
}

/** Whether it is expected to write a test or coverage report. */
export function runsTests({ proves }: VerifyGate): boolean {
  return proves.some((name) => TESTING.has(name));
}

const TESTING = new Set(["tests", "unit", "integration", "e2e", "coverage"]);

/** Runs the gates one after the other, each in a clean copy of the present files, which is deleted afterwards. */
export async function runGates(verifyContext: VerifyContext, order: GateOrder, base: Before): Promise<GateRun[]> {
  const { gates, bring, signal, onGate } = order;
  await checkBrought(verifyContext, bring);
  const runs: GateRun[] = [];
  for (const gate of gates) {
    if (signal.aborted) break;
    onGate(gate.name);
    const brought = { ...gate, bring: [...new Set([...gate.bring, ...bring])] };
    const run = await runTimes(verifyContext, brought, base, signal);
    const missing = run.hasAnswered && !run.passed ? await missingInCopy(verifyContext, brought.bring) : [];
    runs.push({ ...run, missing });
  }
  return runs;
}

/** A folder named by the operator must exist; default folders such as node_modules need not. */
async function checkBrought({ ports, root }: VerifyContext, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await ports.workspace.has(root, path)) continue;
    const hint =
      "Name a folder by its path from the root of the repository; links that lead elsewhere are not followed.";
    throw new AppError("cannot-read", `There is no folder ${path} to bring.`, hint);
  }
}

type Ran = Omit<GateRun, "missing">;

async function runTimes(
  verifyContext: VerifyContext,
  gate: VerifyGate,
  base: Before,
  signal: AbortSignal,
): Promise<Ran> {
  let run = await runOnce(verifyContext, gate, base, signal);
  for (let more = gate.times - 1; more > 0 && run.passed && !signal.aborted; more--)
    run = await runOnce(verifyContext, gate, base, signal);
  return run;
}

async function runOnce(
  { ports, root }: VerifyContext,
  gate: VerifyGate,
  base: Before,
  signal: AbortSignal,
): Promise<Ran> {
  const { name, command, proves, reports, limits, timeout, bring, definitions } = gate;
  const asked = { name, command, proves, reports, limits, timeout, bring, ...(definitions && { definitions }) };
  const job = { ...asked, place: "copy", isForeign: false } as const;
  const shown = { gate: name, proves, command };
  try {
    const runner = { ports, run: "verify", directory: root, signal, base };
    const { cases: _cases, ...end } = await runJob(runner, { ...job, isSteady: false }, ports.clock.id());
    return { ...shown, ...end, message: inWords(end.message), outcome: outcomeOf(end) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const nothing = { passed: false, hasAnswered: false, figures: null, milliseconds: 0, output: "", compared: null };
    return { ...shown, ...nothing, message, outcome: "unusable" };
  }
}

function outcomeOf({ passed, isUnusable, figures }: Pick<JobEnd, "passed" | "isUnusable" | "figures">): GateOutcome {
  if (isUnusable === true) return "unusable";
  if (!passed) return "failed";
  return (figures?.problems.length ?? 0) > 0 ? "unusable" : "passed";
}

/** A message starts with the end of the command; the sandbox may follow. */
function endOf(message: string): string {
  return message.split("; ", 1)[0] ?? "";
}

function inWords(message: string): string {
  const end = endOf(message);
  return (ENDS.get(end) ?? end) + message.slice(end.length);
}

const ENDS: ReadonlyMap<string, string> = new Map([
  ["timed-out", "it took longer than it may, and was ended"],
  ["flooded", "it printed more than it may, and was ended"],
  ["out-of-memory", "it used more memory than it may, and was ended"],
  ["out-of-disk", "it wrote more than it may, and was ended"],
  ["too-many-processes", "it started more processes than it may, and was ended"],
  ["could-not-start", "it could not be started"],
  ["refused", "it was not allowed to start"],
  ["stopped", "it was stopped"],
]);

/**
 * Paths near the root that git ignores and that a clean copy therefore lacks, to explain why a gate fails there:
 * modules of a package in a monorepo, build output, a settings file.
 */
async function missingInCopy({ ports, root }: VerifyContext, brought: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  let folders = [""];
  for (let depth = 0; depth < DEEPEST && folders.length > 0; depth++) {
    const entries = folders.flatMap((folder) => entriesOf(root, folder)).slice(0, MAX_ENTRIES);
    const { files } = await ports.repository.look(root, null, { ...NOTHING, paths: entries.map(({ path }) => path) });
    const isIgnored = (path: string): boolean => files.get(path)?.isIgnored === true;
    missing.push(...entries.filter(({ path }) => isIgnored(path) && !brought.includes(path)).map(({ shown }) => shown));
    folders = entries.filter(({ path, isFolder }) => isFolder && !isIgnored(path)).map(({ path }) => path);
  }
  return missing;
}

const DEEPEST = 3;
const MAX_ENTRIES = 2000;

const NOTHING: NeededObservations = {
  paths: [],
  lengths: [],
  hunks: [],
  patterns: [],
  commits: [],
  branches: [],
  changes: false,
};

interface Entry {
  /** Relative to the root. */
  readonly path: string;
  /** With a trailing slash for a folder. */
  readonly shown: string;
  readonly isFolder: boolean;
}

function entriesOf(root: string, folder: string): Entry[] {
  return list(join(root, folder))
    .filter(({ name }) => name !== ".git")
    .map((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      return { path, isFolder, shown: isFolder ? `${path}/` : path };
    });
}

/** An unreadable or missing folder counts as empty. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The answers to refuted claims, by the author that a handoff names. */
export type VerifyPolicy = (author: string | null) => ClaimPolicy;

export const defaultPolicy: VerifyPolicy = () => DEFAULT_POLICY;

/**
 * The policy of the workflow applies to all handoffs. The author is only what a handoff says about itself, so the
 * policy of an agent can make it stricter, but never more lenient.
 */
export function policyOf({ agents, verify }: Workflow): VerifyPolicy {
  const floor = verify ?? NOTED;
  return (author) => {
    const own = ownValue<AgentDefinition>(agents, author?.replace(/^@/, "") ?? "")?.verify ?? floor;
    return policyBy((kind) => stricter(answerTo(floor, kind), answerTo(own, kind)));
  };
}

/** Whether the author that a handoff names writes tests; null for one that is no agent of the workflow. */
export function testersOf(workflow: Workflow): (author: string | null) => boolean | null {
  return (author) => {
    const name = author?.replace(/^@/, "") ?? "";
    return Object.hasOwn(workflow.agents, name) ? writesTests(workflow, name) : null;
  };
}

function policyBy(answer: (kind: keyof ClaimPolicy) => ClaimAnswer): ClaimPolicy {
  return Object.fromEntries(CLAIM_KINDS.map((kind) => [kind, answer(kind)]));
}

/** If the workflow does not verify claims, refuted ones are only recorded. */
const NOTED = policyBy(() => "record");

/** Answers are listed from the strictest to the most lenient. */
function stricter(left: ClaimAnswer, right: ClaimAnswer): ClaimAnswer {
  return CLAIM_ANSWERS.indexOf(left) <= CLAIM_ANSWERS.indexOf(right) ? left : right;
}
