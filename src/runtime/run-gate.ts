import { join } from "node:path";
import { combineFigures } from "../evidence/reports/combine-figures.ts";
import { readReport, unreadableReport } from "../evidence/reports/read-report.ts";
import { MOST_REPORT_BYTES, type ReportReading } from "../evidence/reports/report.ts";
import type { Judgement } from "../evidence/claim.ts";
import type { Figures, GateSighting } from "../evidence/sightings.ts";
import type { BroughtFolder, CommandResult } from "../ports/command-runner.ts";
import type { Machine } from "../ports/machine.ts";
import type { FileMarks } from "../ports/workspace.ts";
import { gatePart } from "../views/run-trace.ts";
import type { GateDefinition, GateLimits, Workflow } from "../workflow/definition.ts";
import type { Effect } from "../workflow/effect.ts";
import type { ReportGate } from "../workflow/input.ts";
import type { Step, TaskState } from "../workflow/state.ts";
import type { RunSession } from "./run-session.ts";
import { settledBy } from "./verify-handoff.ts";

type RunGate = Extract<Effect, { kind: "run-gate" }>;

/** A gate of the workflow, or a command that a handoff brought, with all that it is run with. */
export interface GateJob {
  readonly name: string | null;
  readonly command: readonly string[];
  readonly isForeign: boolean;
  readonly proves: readonly string[];
  readonly reports: readonly string[];
  readonly place: GateDefinition["place"];
  readonly bring: readonly string[];
  readonly limits: GateLimits;
  readonly timeout: number;
  /** What it says of a state may be said again without asking it. */
  readonly isSteady: boolean;
}

/** All that a gate needs of the machine. */
export type GateMachine = Pick<Machine, "workspace" | "commands" | "repository" | "results" | "redact">;

export interface GateRunner {
  readonly machine: GateMachine;
  readonly run: string;
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Variables by which what it runs joins the trace of its run. */
  readonly context?: Readonly<Record<string, string>>;
}

/** Runs it in a clean copy of the claimed state, reads its reports, and says which claims that settles. */
export async function runGate(
  machine: Machine,
  { workflow, state, lease }: RunSession,
  effect: RunGate,
  signal: AbortSignal,
): Promise<ReportGate> {
  const told = { kind: "report-gate", gateRun: effect.gateRun } as const;
  const task = state.tasks[effect.task];
  try {
    const job = jobOf(workflow, effect);
    const directory = await machine.workspace.prepare(lease.run, workflow.workspace);
    const { hasAnswered, ...outcome } = await runJob(
      {
        machine,
        run: lease.run,
        directory,
        signal,
        context: machine.telemetry.contextOf(state, gatePart(effect.gateRun)),
      },
      job,
      effect.gateRun,
    );
    const judgements = hasAnswered && task !== undefined ? settled(machine, workflow, task, effect, job, outcome) : [];
    return { ...told, ...outcome, judgements };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...told, passed: false, message, output: "", milliseconds: 0, figures: null, judgements: [] };
  }
}

type Ended = Omit<ReportGate, "kind" | "gateRun" | "judgements">;

export interface JobEnd extends Ended {
  /** It ran to its own end: one that was stopped has shown nothing. */
  readonly hasAnswered: boolean;
}

/** Several gates may each show a part of what is claimed: all that have run on this handoff are asked together. */
function settled(
  machine: Machine,
  workflow: Workflow,
  { last, step }: TaskState,
  effect: RunGate,
  job: GateJob,
  { passed, message, figures }: Ended,
): Judgement[] {
  const { name, proves, command } = job;
  const earlier = (step?.shown ?? []).flatMap(({ gate, ...shown }): GateSighting[] => {
    const definition = workflow.gates[gate];
    return definition === undefined || gate === name
      ? []
      : [{ gate, passed: true, proves: definition.proves, command: definition.command, ...shown }];
  });
  const gates = name === null ? earlier : [...earlier, { gate: name, proves, command, passed, message, figures }];
  const commands = effect.command === null ? [] : [{ command: effect.command, passed, message }];
  const judged = settledBy(machine, last?.handoff ?? null, { gates, commands });
  const isPartial = effect.command === null && reportsToCome(workflow, step, name);
  return isPartial ? judged.filter(({ kind, verdict }) => verdict !== "refuted" || !SUMS.has(kind)) : judged;
}

/** What is said of all tests together can only be refuted by all of them. */
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

/** A handoff's own command gets the least that it could need. */
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
  const { machine, directory } = runner;
  const snapshot = job.place === "copy" ? await machine.repository.snapshot(directory) : null;
  if (snapshot === null) return runIn(runner, job, gateRun, directory);
  const key = job.isSteady ? await keyOf(runner, job, snapshot.tree) : null;
  const known = key === null ? null : await machine.results.find(key);
  if (known !== null)
    return { ...known, passed: true, hasAnswered: true, message: `${known.message}, as before on the same files` };
  const folder = await machine.workspace.fresh(runner.run, copyName(gateRun));
  try {
    await machine.repository.checkOut(directory, snapshot.tree, folder);
    const ended = await runIn(runner, job, gateRun, folder);
    const { passed, hasAnswered: _hasAnswered, ...result } = ended;
    if (passed && key !== null) await machine.results.keep(key, result);
    return ended;
  } finally {
    // A copy that stays is in nobody's way, and is gone before the gate runs again.
    await machine.workspace.remove(folder).catch(() => undefined);
  }
}

/** What the result of a gate depends on: the files, the gate itself, and what it is brought. */
async function keyOf({ machine, directory }: GateRunner, job: GateJob, tree: string): Promise<string> {
  const brought = await Promise.all(job.bring.map((path) => machine.workspace.fingerprint(directory, path)));
  return JSON.stringify([tree, job, brought]);
}

/** Name of the folder in which a run of a gate has its copy. */
export function copyName(gateRun: string): string {
  return `gate-${gateRun.replaceAll("/", "+")}`;
}

async function runIn(runner: GateRunner, job: GateJob, gateRun: string, folder: string): Promise<JobEnd> {
  const { machine, run, directory, signal, context = {} } = runner;
  const brought = folder === directory ? [] : job.bring;
  const { environment, inherit, network, memory, processes, disk } = job.limits;
  const before = await machine.workspace.look(folder, job.reports);
  const result = await machine.commands.run({
    id: `${run}.${gateRun}`,
    command: job.command,
    foreign: job.isForeign,
    directory: folder,
    bring: await broughtFolders(machine, directory, brought),
    // Beside the job: the trace is no reason to run it again.
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
  const figures = job.reports.length === 0 ? null : await readReports(machine, folder, job.reports, before);
  return { ...describe(machine, result), hasAnswered: result.end === "exited", figures };
}

/** What is not there cannot be brought; the gate will say what it misses. */
async function broughtFolders(
  machine: GateMachine,
  directory: string,
  paths: readonly string[],
): Promise<BroughtFolder[]> {
  const there = await Promise.all(paths.map((path) => machine.workspace.has(directory, path)));
  return paths.filter((_, at) => there[at] === true).map((path) => ({ from: join(directory, path), to: path }));
}

function describe(machine: GateMachine, { end, exitCode, output, milliseconds, sandbox }: CommandResult) {
  const how = end === "exited" ? `exit code ${exitCode}` : end;
  const message = sandbox === "bubblewrap" ? how : `${how}; ${sandbox}`;
  const shown = machine.redact(output).slice(-KEPT_OUTPUT);
  return { passed: end === "exited" && exitCode === 0, message, output: shown, milliseconds };
}

/** A report that lay there before was not written by this gate, whoever put it there. */
async function readReports(
  machine: GateMachine,
  folder: string,
  paths: readonly string[],
  before: FileMarks,
): Promise<Figures> {
  const after = await machine.workspace.look(folder, paths);
  const readings: ReportReading[] = [];
  for (const path of paths) {
    const isNew = after[path] !== before[path];
    const file = isNew ? await machine.workspace.read(folder, path, MOST_REPORT_BYTES) : null;
    const problem = file === null ? "the gate has not written it" : `it is larger than ${MOST_REPORT_BYTES} bytes`;
    readings.push(typeof file?.text === "string" ? readReport(file.text, path) : unreadableReport(path, problem));
  }
  return combineFigures(readings);
}

const GATE_OUTPUT = 4_194_304;
const KEPT_OUTPUT = 8_000;
