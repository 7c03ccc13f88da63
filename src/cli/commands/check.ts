import { type LoadedWorkflow, WORKFLOW_FILE, loadWorkflow, drawGraph } from "../../runtime/operations/load-workflow.ts";
import { type CheckedWorkflow, checkPrograms, findUncaught } from "../../runtime/operations/check-programs.ts";
import { checkGates } from "../../runtime/operations/check-gates.ts";
import { listCommands } from "../../runtime/operations/list-commands.ts";
import { type TrustSubject, trustSubject } from "../../runtime/operations/trust-workflow.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { AppError } from "../../shared/app-error.ts";
import { count } from "../../shared/count.ts";
import { utcOf } from "../../shared/utc-time.ts";
import { nextTime } from "../../runtime/schedules/due-times.ts";
import { printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { printCommands } from "../ensure-trusted.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { FORMAT_NAMES, formatReport } from "../formats/choose-format.ts";
import { type Report, reportFiles } from "../formats/report.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { formatName } from "./validate.ts";

export const command: Command = {
  name: "check",
  summary: "Check a workflow before a run, and show its graph and its commands",
  usage: "[WORKFLOW]",
  details: [
    `WORKFLOW is a file (default ${WORKFLOW_FILE}) or one of pipeline, issue, collective, tasks, feature.`,
    "Every outcome has a route, every loop is bounded, every agent is reachable, the end can be reached.",
    "A missing script or program of an agent is a warning; `baton run`, `resume` and `retry` refuse only when",
    "the agent that comes first certainly cannot be started. So is a program of a gate that will not work in the",
    "sandbox of this machine, with the line to add to your list of toolchains.",
    "The hash is the one that --trust takes: of the workflow and of every file of the repository that its commands name.",
    "With --json it is `trust`; null when the file cannot be run.",
    "Exit code: 0 it can be run, 1 findings, 2 wrong usage, 3 the file cannot be read.",
  ],
  options: {
    format: {
      value: "FORMAT",
      choices: FORMAT_NAMES,
      about: "How findings are shown: pretty (default), json, github, sarif or junit.",
    },
    json: { about: "The same as --format json." },
    graph: {
      value: "KIND",
      choices: ["text", "mermaid", "none"],
      about: "How the graph is drawn: text (default), mermaid or none.",
    },
    strict: { about: "Count every warning as an error, but for missing-program: another machine may have it." },
    ...HELP_OPTION,
  },
  run: check,
};

async function check(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one workflow only.");
  const { loaded, notices, trust } = await checkHere(invocation.operands[0] ?? WORKFLOW_FILE, terminal);
  const format = formatName(invocation);
  const report = reportOn(loaded, invocation.has("strict"), trust.hash);
  const isSound = report.summary.invalid === 0;
  const graph = invocation.text("graph") ?? "text";
  if (format !== "pretty" || loaded.diagnostics.length > 0) await tellFindings(report, format, graph, terminal);
  if (format !== "pretty") return isSound ? EXIT.fine : EXIT.findings;
  show(loaded, trust.files, graph, terminal);
  const uncaught = findUncaught(terminal.searchPath) ?? "";
  if (isSound) say(terminal, [verdict(loaded, trust.hash), uncaught, ...(await notices())].join(""));
  return isSound ? EXIT.fine : EXIT.findings;
}

interface CheckedHere {
  readonly loaded: CheckedWorkflow;
  /** Lines about this machine that concern every gate. */
  readonly notices: () => Promise<readonly string[]>;
  readonly trust: TrustSubject;
}

/** The workflow with what is missing on this machine for its agents and its gates. */
async function checkHere(path: string, terminal: Terminal): Promise<CheckedHere> {
  const repositoryInfo = await terminal.repositoryInfo();
  const loaded = await checkPrograms(loadWorkflow(path), {
    repositoryInfo,
    searchPath: terminal.searchPath,
    severity: "warning",
  });
  const trust = trustSubject(loaded, repositoryInfo);
  const gates = Object.values(loaded.workflow?.gates ?? {});
  if (!gates.some((gate) => gate.command.length > 0)) return { loaded, trust, notices: () => Promise.resolve([]) };
  const machine = await terminal.gateMachine();
  const notices = async (): Promise<string[]> => (await machine.notices()).map((line) => `${printable(line)}\n`);
  return { loaded: checkGates(loaded, machine), trust, notices };
}

/** A diagram is data for another program: nothing else may be printed before it. */
async function tellFindings(
  report: Report,
  format: ReturnType<typeof formatName>,
  graph: string,
  terminal: Terminal,
): Promise<void> {
  const isNote = format === "pretty" && graph === "mermaid";
  const shown = await formatReport(format, report, {
    colour: isNote ? terminal.colour.notes : terminal.colour.out,
    width: terminal.columns,
    room: isNote ? terminal.room.notes : terminal.room.out,
    version: terminal.version,
    describeRule: () => null,
  });
  if (isNote) terminal.note(shown);
  else terminal.out(shown);
}

/** What is missing on this machine does not make the file wrong. */
function verdict({ path, workflow, diagnostics, uncommitted }: CheckedWorkflow, hash: string): string {
  if (workflow === null) return `${printable(path)} is right, and holds no workflow to run. Its hash is ${hash}.\n`;
  const missing = diagnostics.filter(({ code }) => code === "missing-script").length - uncommitted;
  const lacks = [
    ...(missing === 0 ? [] : [`${filesOf(missing)} missing here`]),
    ...(uncommitted === 0 ? [] : [`${filesOf(uncommitted)} not committed`]),
  ];
  const can = lacks.length === 0 ? "can be run" : `is right, but ${lacks.join(", and ")}`;
  return `${printable(path)} ${can}. Its hash is ${hash}.\n`;
}

function filesOf(number: number): string {
  return number === 1 ? "a file that an agent runs is" : `${number} files that its agents run are`;
}

type Workflow = NonNullable<LoadedWorkflow["workflow"]>;

/** Which agents owe a handoff inside their clients. */
function printSessions(section: NonNullable<LoadedWorkflow["sessions"]>["section"]): string {
  const { agents, main, blocks, workflow } = section;
  const named = [...Object.entries(agents), ...(main === null ? [] : [["the main agent", main] as const])];
  const lines = named.map(([name, { format, as }]) => `  ${name}: ${format ?? `as ${as} of ${workflow ?? "?"}`}`);
  const head = `agents that owe a handoff in their client (sent back at most ${count(blocks, "time")})`;
  return `${[head, ...lines].map(printable).join("\n")}\n`;
}

/** When `baton serve` starts runs of it once it is trusted. */
function printTimes(schedules: LoadedWorkflow["schedules"]): string {
  const lines = schedules.map((schedule) => {
    const next = nextTime(schedule, Date.now());
    const { name, cron, timezone } = schedule;
    return `  ${name}  ${cron} (${timezone})${next === null ? "" : `, next ${utcOf(next).replace("T", " ").slice(0, 16)} UTC`}`;
  });
  return `\nschedules, started while \`baton serve\` runs\n${lines.map((line) => `${printable(line)}\n`).join("")}`;
}

/** It contains commands and conditions of a workflow file that is not trusted yet. */
export function printWorkflowGraph(workflow: Workflow, kind: "text" | "mermaid"): string {
  return drawGraph(workflow, kind).split("\n").map(printable).join("\n");
}

function show(
  { workflow, sessions, schedules }: LoadedWorkflow,
  files: TrustSubject["files"],
  graph: string,
  terminal: Terminal,
): void {
  if (workflow !== null) showWorkflow(workflow, files, graph, terminal);
  if (schedules.length > 0 && graph === "text") display(terminal, printTimes(schedules));
  if (sessions !== null && graph === "text") display(terminal, printSessions(sessions.section));
}

function showWorkflow(workflow: Workflow, files: TrustSubject["files"], graph: string, terminal: Terminal): void {
  if (graph === "none") return;
  if (graph === "mermaid") terminal.out(printWorkflowGraph(workflow, "mermaid"));
  else display(terminal, printWorkflowGraph(workflow, "text"));
  const commands = graph === "text" ? listCommands(workflow) : [];
  if (commands.length > 0) terminal.out(`\ncommands\n${printCommands(commands)}`);
  if (graph === "text" && files.length > 0)
    terminal.out(`\nfiles of the repository that they name\n${printCommands(files.map(({ path }) => path))}`);
}

/** For a command that needs a workflow that can be run: it tells why this one cannot, and does nothing else. */
export async function refuseWorkflow(
  loaded: LoadedWorkflow,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  if (loaded.sessions !== null && loaded.workflow === null) throw noWorkflow(loaded);
  const style = {
    colour: terminal.colour.out,
    width: terminal.columns,
    room: terminal.room.out,
    version: terminal.version,
    describeRule: () => null,
  };
  terminal.out(await formatReport(invocation.has("json") ? "json" : "pretty", reportOn(loaded, false), style));
  return EXIT.unable;
}

function noWorkflow({ path }: LoadedWorkflow): AppError {
  const hint = "Name another workflow, as `baton run pipeline`; `baton init` writes one.";
  return new AppError("cannot-read", `${path} says which agents owe a handoff, and holds no workflow.`, hint);
}

/** Findings of a workflow file, as all the formats can show them. */
function reportOn(loaded: LoadedWorkflow, strict: boolean, hash?: string): Report {
  const { path, text, workflow, sessions, diagnostics } = loaded;
  const judged = strict
    ? diagnostics.map((diagnostic) =>
        countsStrictly(diagnostic) ? { ...diagnostic, severity: "error" as const } : diagnostic,
      )
    : diagnostics;
  const isWhole = workflow !== null || sessions !== null;
  const valid = isWhole && !judged.some((diagnostic) => diagnostic.severity === "error");
  const report = reportFiles([{ path, dialect: null, valid, skipped: false, handoffs: 0, diagnostics: judged, text }]);
  return hash === undefined ? report : { ...report, trust: isWhole ? hash : null };
}

/** The same file must not be right on one machine and wrong on another. */
function countsStrictly({ severity, code }: Diagnostic): boolean {
  return severity === "warning" && code !== "missing-program";
}
