import { join } from "node:path";
import { combineFigures, missingProof } from "../evidence/reports/combine-figures.ts";
import { readReport, unreadableReport } from "../evidence/reports/read-report.ts";
import { MAX_REPORT_BYTES, type ReportReading } from "../evidence/reports/report.ts";
import type { Judgement } from "../evidence/claim.ts";
import type { Figures, ObservedGate } from "../evidence/observations.ts";
import type { ComparedGate, TestCases } from "../evidence/test-cases.ts";
import type { BroughtFolder, CommandEnd, CommandResult } from "../ports/command-runner.ts";
import type { Ports } from "../ports/ports.ts";
import type { Base } from "../ports/repository.ts";
import type { FileMarks } from "../ports/workspace.ts";
import { gatePart } from "../views/run-trace.ts";
import type { GateDefinition, GateLimits, Workflow } from "../workflow/definition.ts";
import type { Effect } from "../workflow/effect.ts";
import type { ReportGate } from "../workflow/input.ts";
import type { Step, TaskState } from "../workflow/state.ts";
import { findUntrusted } from "./find-untrusted.ts";
import { restoreDefinitions } from "./look-at-definitions.ts";
import { retryWhileDiskFull } from "./retry-while-disk-full.ts";
import type { RunSession } from "./run-session.ts";
import { settledBy } from "./verify-handoff.ts";

type RunGate = Extract<Effect, { kind: "run-gate" }>;

/** A gate of the workflow, or a command from a handoff, with everything needed to run it. */
interface GateJob {
  readonly name: string | null;
  readonly command: readonly string[];
  readonly isForeign: boolean;
  readonly proves: readonly string[];
  readonly reports: readonly string[];
  readonly place: GateDefinition["place"];
  readonly bring: readonly string[];
  readonly limits: GateLimits;
  readonly timeout: number;
  /** Whether its result for a state may be cached. */
  readonly isSteady: boolean;
  readonly definitions?: GateDefinition["definitions"];
}

/** The ports that a gate needs. */
type GatePorts = Pick<Ports, "workspace" | "commands" | "repository" | "results" | "redact">;

interface GateRunner {
  readonly ports: GatePorts;
  readonly run: string;
  readonly directory: string;
  readonly signal: AbortSignal;
  /** The state before the work; null when there is none, or it is not known. */
  readonly base: Base | null;
  /** Is told why the gate has to wait. */
  readonly notify?: (message: string) => void;
  /** Environment variables with which its programs join the trace of the run. */
  readonly context?: Readonly<Record<string, string>>;
}

/** Runs the gate in a clean copy of the claimed state, reads its reports, and returns the claims that it settles. */
export async function runGate(
  ports: Ports,
  session: RunSession,
  effect: RunGate,
  signal: AbortSignal,
  notify: (message: string) => void,
): Promise<ReportGate> {
  const { workflow, state, lease } = session;
  const report = { kind: "report-gate", gateRun: effect.gateRun } as const;
  const task = state.tasks[effect.task];
  try {
    const job = jobOf(workflow, effect);
    const directory = await ports.workspace.prepare(lease.run, workflow.workspace);
    const { gate } = effect;
    const untrusted = gate === null ? [] : await findUntrusted(ports, session, { gate }, directory);
    if (untrusted.length > 0) return { ...report, ...NOT_RUN, message: "its files are not as trusted", untrusted };
    const {
      hasAnswered,
      cases: _cases,
      compared,
      ...outcome
    } = await runJob(
      {
        ports,
        run: lease.run,
        directory,
        signal,
        base: await baseOf(ports, lease.run, directory, task),
        notify: (message) => notify(`Gate ${effect.gate ?? "of a handoff's command"} waits. ${message}`),
        context: ports.telemetry.contextOf(state, gatePart(effect.gateRun)),
      },
      job,
      effect.gateRun,
    );
    // Where tasks share a folder, nobody can tell who changed a test.
    const isShared = workflow.parallel > 1 && Object.keys(state.tasks).length > 1;
    const ownTests = isShared ? null : compared;
    const judgements =
      hasAnswered && task !== undefined ? settled(ports, workflow, task, effect, job, outcome, ownTests) : [];
    return { ...report, ...outcome, judgements };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...report, ...NOT_RUN, isUnusable: true, message };
  }
}

const NOT_RUN = { passed: false, output: "", milliseconds: 0, figures: null, judgements: [] } as const;

/** Where the agent began its consecutive steps: what it did to gates and tests before must not become the base. */
async function baseOf(
  { repository }: Ports,
  run: string,
  directory: string,
  task: TaskState | undefined,
): Promise<Base | null> {
  const since = task?.since[task.step?.agent ?? ""];
  const base = since === undefined ? null : await repository.mark(directory, `${run}.${since}`);
  return base && { ...base, name: "the state before the step" };
}

type Ended = Omit<ReportGate, "kind" | "gateRun" | "judgements">;

export interface JobEnd extends Ended {
  /** False when the command was stopped or its reports are missing: then it has shown nothing. */
  readonly hasAnswered: boolean;
  /** Its tests one by one; null when its reports do not name them. */
  readonly cases: TestCases | null;
  /** The same gate on the state before the work; null when there is nothing to compare. */
  readonly compared: ComparedGate | null;
}

/** Each gate may prove a part of the claims, so the results of all gates that ran on this handoff are combined. */
function settled(
  ports: Ports,
  workflow: Workflow,
  { last, step }: TaskState,
  effect: RunGate,
  job: GateJob,
  { passed, message, figures }: Ended,
  compared: ComparedGate | null,
): Judgement[] {
  const { name, proves, command } = job;
  const earlier = (step?.shown ?? []).flatMap(({ gate, ...shown }): ObservedGate[] => {
    const definition = workflow.gates[gate];
    return definition === undefined || gate === name
      ? []
      : [{ gate, passed: true, proves: definition.proves, command: definition.command, ...shown }];
  });
  const gates = name === null ? earlier : [...earlier, { gate: name, proves, command, passed, message, figures }];
  const commands = effect.command === null ? [] : [{ command: effect.command, passed, message }];
  const judged = settledBy(ports, last?.handoff ?? null, {
    gates,
    commands,
    ...(compared && { compared: [compared] }),
  });
  const isPartial = effect.command === null && reportsToCome(workflow, step, name);
  return isPartial ? judged.filter(({ kind, verdict }) => verdict !== "refuted" || !SUMS.has(kind)) : judged;
}

/** Claims about all tests together can be refuted only when all reports are there. */
const SUMS = new Set<string>(["test", "coverage"]);

function reportsToCome({ agents, gates }: Workflow, step: Step | null, name: string | null): boolean {
  const names = agents[step?.agent ?? ""]?.gates ?? [];
  const later = names.slice(names.indexOf(name ?? "") + 1);
  return later.some((gate) => (gates[gate]?.reports.length ?? 0) > 0);
}

function jobOf({ gates }: Workflow, { gate, command }: RunGate): GateJob {
  if (gate === null) return { ...FOREIGN, command: [command ?? ""] };
  const definition = gates[gate];
  if (definition === undefined) throw new Error(`There is no gate ${gate}`);
  const { name, proves, reports, place, bring, limits, timeout, times, definitions } = definition;
  const job = {
    name,
    proves,
    reports,
    place,
    bring,
    limits,
    timeout,
    isForeign: false,
    ...(definitions && { definitions }),
  };
  return { ...job, command: definition.command, isSteady: times === 1 };
}

/** A command from a handoff gets minimal permissions. */
const FOREIGN: Omit<GateJob, "command"> = {
  name: null,
  isForeign: true,
  proves: [],
  reports: [],
  place: "copy",
  bring: ["node_modules"],
  limits: { network: false, memory: 2 ** 32, processes: 256, disk: 2 ** 30, environment: {}, inherit: [] },
  timeout: 600_000,
  isSteady: false,
};

export async function runJob(runner: GateRunner, job: GateJob, gateRun: string): Promise<JobEnd> {
  const { ports, directory } = runner;
  const takeSnapshot = () => ports.repository.snapshot(directory);
  const snapshot = job.place === "copy" ? await withRoom(runner, takeSnapshot) : null;
  if (snapshot === null) return { ...(await runIn(runner, job, gateRun, directory)), compared: null };
  const ended = await runOnWork(runner, job, gateRun, snapshot.tree);
  const { cases, passed } = ended;
  const compared = passed && cases !== null ? await compareWithBase(runner, job, gateRun, snapshot.tree, cases) : null;
  return { ...ended, compared };
}

async function runOnWork(runner: GateRunner, job: GateJob, gateRun: string, tree: string): Promise<OneRun> {
  const { results } = runner.ports;
  const rules = rulesOf(runner, job);
  const key = job.isSteady ? await keyOf(runner, job, [tree, rules?.tree ?? ""]) : null;
  const known = key === null ? null : await results.find(key);
  if (known !== null) {
    const message = `${known.message}, as before on the same files`;
    return { ...known, cases: known.cases ?? null, passed: true, hasAnswered: true, message };
  }
  const ended = await runInCopy(runner, job, gateRun, tree, rules);
  const { passed, hasAnswered: _hasAnswered, ...result } = ended;
  if (passed && key !== null) await results.keep(key, result);
  return ended;
}

/** Runs the gate on the state before the work, once for each such state. */
async function compareWithBase(
  runner: GateRunner,
  job: GateJob,
  gateRun: string,
  tree: string,
  now: TestCases,
): Promise<ComparedGate | null> {
  const { base, ports, directory, signal } = runner;
  if (base === null || job.name === null || signal.aborted) return null;
  const compared = { gate: job.name, why: "", now, uncovered: [] };
  if (base.tree === tree) return { ...compared, before: now };
  const { definitions: _rules, ...plain } = job;
  const key = await keyOf(runner, { ...plain, isSteady: true }, [base.tree, ""]);
  // A gate that passed there in this run has a result; how it ended does not matter here.
  const known = (await ports.results.find(key)) ?? (await ports.results.find(`base ${key}`));
  const ended = known ?? (await runInCopy(runner, plain, `${gateRun}/base`, base.tree, null));
  const { message, output, milliseconds, figures, cases = null } = ended;
  if (known === null && cases !== null)
    await ports.results.keep(`base ${key}`, { message, output, milliseconds, figures, cases });
  if (cases === null) return { ...compared, before: null, why: message };
  const gone = cases.covered
    .filter((path) => now.covered.length > 0 && !now.covered.includes(path))
    .slice(0, MAX_UNCOVERED);
  const there = await Promise.all(gone.map((path) => ports.workspace.read(directory, path, 0)));
  return { ...compared, before: cases, uncovered: gone.filter((_, at) => there[at] !== null) };
}

const MAX_UNCOVERED = 200;

type OneRun = Omit<JobEnd, "compared">;

/** The state whose files define the gate, if it is not the one that the gate judges. */
function rulesOf({ base }: GateRunner, { definitions }: GateJob): Base | null {
  if (definitions !== "base") return null;
  if (base === null) throw new Error("there is no earlier state whose files could define it (definitions: base)");
  return base;
}

/** A full disk says nothing about the work: the gate of a run waits for room, and has no result until then. */
function withRoom<T>({ notify, signal }: GateRunner, work: () => Promise<T>): Promise<T> {
  return notify === undefined ? work() : retryWhileDiskFull(work, signal, notify);
}

async function runInCopy(
  runner: GateRunner,
  job: GateJob,
  gateRun: string,
  tree: string,
  rules: Base | null,
): Promise<OneRun> {
  const { ports, directory } = runner;
  let folder = "";
  try {
    await withRoom(runner, async () => {
      folder = await ports.workspace.fresh(runner.run, copyName(gateRun));
      await ports.repository.checkOut(directory, tree, folder);
      if (rules !== null) await restoreDefinitions(ports, directory, rules, folder, job.command);
    });
    return await runIn(runner, job, gateRun, folder);
  } finally {
    // A leftover copy does no harm, and is removed before the gate runs again.
    if (folder !== "") await ports.workspace.remove(folder).catch(() => undefined);
  }
}

/** The inputs that the result of a gate depends on: the files, the gate itself, and the folders brought in. */
async function keyOf({ ports, directory }: GateRunner, job: GateJob, trees: readonly string[]): Promise<string> {
  const brought = await Promise.all(job.bring.map((path) => ports.workspace.fingerprint(directory, path)));
  return JSON.stringify([trees, job, brought]);
}

/** Folder name of the copy for a gate run. */
export function copyName(gateRun: string): string {
  return `gate-${gateRun.replaceAll("/", "+")}`;
}

async function runIn(runner: GateRunner, job: GateJob, gateRun: string, folder: string): Promise<OneRun> {
  const { ports, run, directory, signal, context = {} } = runner;
  const brought = folder === directory ? [] : job.bring;
  const { environment, inherit, network, memory, processes, disk } = job.limits;
  // In the workspace itself they are somebody's files: there only what has changed counts.
  if (folder !== directory) await ports.workspace.discard(folder, job.reports);
  const before = await ports.workspace.look(folder, job.reports);
  const result = await ports.commands.run({
    id: `${run}.${gateRun}`,
    command: job.command,
    foreign: job.isForeign,
    directory: folder,
    bring: await broughtFolders(ports, directory, brought),
    // Not part of the job, so that a different trace does not invalidate the cached result.
    environment: { ...environment, ...context },
    inherit,
    network,
    timeout: job.timeout,
    outputLimit: GATE_OUTPUT,
    memory,
    processes,
    disk,
    signal,
  });
  const readings = await readReports(ports, folder, job.reports, before);
  const figures = readings.length === 0 ? null : combineFigures(readings);
  return { ...endOf(ports, result, figures, missingProof(job.proves, readings)), cases: casesOf(readings, folder) };
}

/** Missing folders are skipped; the gate will report what it lacks. */
async function broughtFolders(ports: GatePorts, directory: string, paths: readonly string[]): Promise<BroughtFolder[]> {
  const there = await Promise.all(paths.map((path) => ports.workspace.has(directory, path)));
  return paths.filter((_, at) => there[at] === true).map((path) => ({ from: join(directory, path), to: path }));
}

/** A command that ended with 0 and left no proof has not passed; one that failed has failed, and shows nothing else. */
function endOf(
  ports: GatePorts,
  { end, exitCode, output, milliseconds, sandbox }: CommandResult,
  figures: Figures | null,
  missing: string | null,
): Omit<OneRun, "cases"> {
  const isExited = end === "exited";
  const isUnusable = NEVER_RAN.has(end) || (isExited && exitCode === 0 && missing !== null);
  const how = isExited ? `exit code ${exitCode}` : end;
  const said = isExited && missing !== null ? `${how}, but ${missing}` : how;
  return {
    passed: isExited && exitCode === 0 && !isUnusable,
    ...(isUnusable && { isUnusable }),
    hasAnswered: isExited && missing === null,
    message: sandbox === "bubblewrap" ? said : `${said}; ${sandbox}`,
    output: ports.redact(output).slice(-KEPT_OUTPUT),
    milliseconds,
    figures,
  };
}

const NEVER_RAN: ReadonlySet<CommandEnd> = new Set<CommandEnd>(["could-not-start", "refused"]);

/** Copies lie in different folders, so paths are compared from there. Null when a test report is missing or names none. */
function casesOf(readings: readonly ReportReading[], folder: string): TestCases | null {
  const shown = readings.filter(({ tests }) => tests !== null);
  if (shown.length === 0 || shown.some(({ cases }) => cases === undefined)) return null;
  const from = (path: string): string => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
  const cases = shown.flatMap((reading) => (reading.cases ?? []).map((one) => ({ ...one, group: from(one.group) })));
  const covered = readings.flatMap((reading) => (reading.covered ?? []).map(from));
  return { cases, covered: [...new Set(covered)] };
}

/** Only reports that are new or changed since the start of the gate count. */
async function readReports(
  ports: GatePorts,
  folder: string,
  paths: readonly string[],
  before: FileMarks,
): Promise<ReportReading[]> {
  const after = await ports.workspace.look(folder, paths);
  const readings: ReportReading[] = [];
  for (const path of paths) {
    const isNew = after[path] !== before[path];
    const file = isNew ? await ports.workspace.read(folder, path, MAX_REPORT_BYTES) : null;
    const problem = file === null ? "the gate has not written it" : `it is larger than ${MAX_REPORT_BYTES} bytes`;
    readings.push(typeof file?.text === "string" ? readReport(file.text, path) : unreadableReport(path, problem));
  }
  return readings;
}

const GATE_OUTPUT = 4_194_304;
const KEPT_OUTPUT = 8_000;
