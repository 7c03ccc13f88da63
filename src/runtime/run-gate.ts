import { join } from "node:path";
import { combineFigures } from "../evidence/reports/combine-figures.ts";
import { readReport, unreadableReport } from "../evidence/reports/read-report.ts";
import { MAX_REPORT_BYTES, type ReportReading } from "../evidence/reports/report.ts";
import type { Judgement } from "../evidence/claim.ts";
import type { Figures, ObservedGate } from "../evidence/observations.ts";
import type { BroughtFolder, CommandResult } from "../ports/command-runner.ts";
import type { Ports } from "../ports/ports.ts";
import type { FileMarks } from "../ports/workspace.ts";
import { gatePart } from "../views/run-trace.ts";
import type { GateDefinition, GateLimits, Workflow } from "../workflow/definition.ts";
import type { Effect } from "../workflow/effect.ts";
import type { ReportGate } from "../workflow/input.ts";
import type { Step, TaskState } from "../workflow/state.ts";
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
}

/** The ports that a gate needs. */
type GatePorts = Pick<Ports, "workspace" | "commands" | "repository" | "results" | "redact">;

interface GateRunner {
  readonly ports: GatePorts;
  readonly run: string;
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Is told why the gate has to wait. */
  readonly notify?: (message: string) => void;
  /** Environment variables with which its programs join the trace of the run. */
  readonly context?: Readonly<Record<string, string>>;
}

/** Runs the gate in a clean copy of the claimed state, reads its reports, and returns the claims that it settles. */
export async function runGate(
  ports: Ports,
  { workflow, state, lease }: RunSession,
  effect: RunGate,
  signal: AbortSignal,
  notify: (message: string) => void,
): Promise<ReportGate> {
  const report = { kind: "report-gate", gateRun: effect.gateRun } as const;
  const task = state.tasks[effect.task];
  try {
    const job = jobOf(workflow, effect);
    const directory = await ports.workspace.prepare(lease.run, workflow.workspace);
    const { hasAnswered, ...outcome } = await runJob(
      {
        ports,
        run: lease.run,
        directory,
        signal,
        notify: (message) => notify(`Gate ${effect.gate ?? "of a handoff's command"} waits. ${message}`),
        context: ports.telemetry.contextOf(state, gatePart(effect.gateRun)),
      },
      job,
      effect.gateRun,
    );
    const judgements = hasAnswered && task !== undefined ? settled(ports, workflow, task, effect, job, outcome) : [];
    return { ...report, ...outcome, judgements };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...report, passed: false, message, output: "", milliseconds: 0, figures: null, judgements: [] };
  }
}

type Ended = Omit<ReportGate, "kind" | "gateRun" | "judgements">;

export interface JobEnd extends Ended {
  /** False when the command was stopped: then it has shown nothing. */
  readonly hasAnswered: boolean;
}

/** Each gate may prove a part of the claims, so the results of all gates that ran on this handoff are combined. */
function settled(
  ports: Ports,
  workflow: Workflow,
  { last, step }: TaskState,
  effect: RunGate,
  job: GateJob,
  { passed, message, figures }: Ended,
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
  const judged = settledBy(ports, last?.handoff ?? null, { gates, commands });
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
  const { name, proves, reports, place, bring, limits, timeout, times } = definition;
  const job = { name, proves, reports, place, bring, limits, timeout, isForeign: false };
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
  const { ports, directory, signal, notify } = runner;
  // A full disk says nothing about the work: the gate of a run waits for room, and has no result until then.
  const whenThereIsRoom = <T>(work: () => Promise<T>): Promise<T> =>
    notify === undefined ? work() : retryWhileDiskFull(work, signal, notify);
  const takeSnapshot = () => ports.repository.snapshot(directory);
  const snapshot = job.place === "copy" ? await whenThereIsRoom(takeSnapshot) : null;
  if (snapshot === null) return runIn(runner, job, gateRun, directory);
  const key = job.isSteady ? await keyOf(runner, job, snapshot.tree) : null;
  const known = key === null ? null : await ports.results.find(key);
  if (known !== null)
    return { ...known, passed: true, hasAnswered: true, message: `${known.message}, as before on the same files` };
  let folder = "";
  try {
    await whenThereIsRoom(async () => {
      folder = await ports.workspace.fresh(runner.run, copyName(gateRun));
      await ports.repository.checkOut(directory, snapshot.tree, folder);
    });
    const ended = await runIn(runner, job, gateRun, folder);
    const { passed, hasAnswered: _hasAnswered, ...result } = ended;
    if (passed && key !== null) await ports.results.keep(key, result);
    return ended;
  } finally {
    // A leftover copy does no harm, and is removed before the gate runs again.
    if (folder !== "") await ports.workspace.remove(folder).catch(() => undefined);
  }
}

/** The inputs that the result of a gate depends on: the files, the gate itself, and the folders brought in. */
async function keyOf({ ports, directory }: GateRunner, job: GateJob, tree: string): Promise<string> {
  const brought = await Promise.all(job.bring.map((path) => ports.workspace.fingerprint(directory, path)));
  return JSON.stringify([tree, job, brought]);
}

/** Folder name of the copy for a gate run. */
export function copyName(gateRun: string): string {
  return `gate-${gateRun.replaceAll("/", "+")}`;
}

async function runIn(runner: GateRunner, job: GateJob, gateRun: string, folder: string): Promise<JobEnd> {
  const { ports, run, directory, signal, context = {} } = runner;
  const brought = folder === directory ? [] : job.bring;
  const { environment, inherit, network, memory, processes, disk } = job.limits;
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
  const figures = job.reports.length === 0 ? null : await readReports(ports, folder, job.reports, before);
  return { ...describe(ports, result), hasAnswered: result.end === "exited", figures };
}

/** Missing folders are skipped; the gate will report what it lacks. */
async function broughtFolders(ports: GatePorts, directory: string, paths: readonly string[]): Promise<BroughtFolder[]> {
  const there = await Promise.all(paths.map((path) => ports.workspace.has(directory, path)));
  return paths.filter((_, at) => there[at] === true).map((path) => ({ from: join(directory, path), to: path }));
}

function describe(ports: GatePorts, { end, exitCode, output, milliseconds, sandbox }: CommandResult) {
  const how = end === "exited" ? `exit code ${exitCode}` : end;
  const message = sandbox === "bubblewrap" ? how : `${how}; ${sandbox}`;
  const shown = ports.redact(output).slice(-KEPT_OUTPUT);
  return { passed: end === "exited" && exitCode === 0, message, output: shown, milliseconds };
}

/** Only reports that are new or changed since the start of the gate count. */
async function readReports(
  ports: GatePorts,
  folder: string,
  paths: readonly string[],
  before: FileMarks,
): Promise<Figures> {
  const after = await ports.workspace.look(folder, paths);
  const readings: ReportReading[] = [];
  for (const path of paths) {
    const isNew = after[path] !== before[path];
    const file = isNew ? await ports.workspace.read(folder, path, MAX_REPORT_BYTES) : null;
    const problem = file === null ? "the gate has not written it" : `it is larger than ${MAX_REPORT_BYTES} bytes`;
    readings.push(typeof file?.text === "string" ? readReport(file.text, path) : unreadableReport(path, problem));
  }
  return combineFigures(readings);
}

const GATE_OUTPUT = 4_194_304;
const KEPT_OUTPUT = 8_000;
