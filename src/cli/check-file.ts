import { LineTable } from "../shared/line-table.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../protocol/reading.ts";
import type { FoundFile } from "./find-files.ts";
import { type FileReport, reportFiles } from "./formats/report.ts";
import { type InputRefusal, readInput } from "./read-input.ts";
import type { Terminal } from "./terminal.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Command, Invocation } from "./command.ts";
import { describeRule } from "./describe-rule.ts";
import { formatReport } from "./formats/choose-format.ts";
import { usage } from "./parse-arguments.ts";
import { readOptions } from "./shared-options.ts";

const NOT_A_HANDOFF = new Set(["no-handoff", "empty", "binary", "wrong-encoding", "too-large"]);

/** Reads one file and reports what is wrong with it. A file that was not named and holds no handoff is skipped. */
export function checkFile(
  file: FoundFile,
  options: ReadOptions & { maxBytes: number },
  terminal: Terminal,
): FileReport {
  const path = shownPath(file.path);
  const input = readInput(file.path, options.maxBytes, terminal);
  if (input.refused !== null)
    return refusedReport(path, file, input.refused, readHandoffs(input.seen, { ...options, path }).dialect);
  const reading = readHandoffs(input.text, file.path === "-" ? options : { ...options, path });
  const { dialect, valid, diagnostics } = reading;
  const skipped =
    !isAskedFor(file) &&
    dialect === null &&
    diagnostics.every((diagnostic) => NOT_A_HANDOFF.has(diagnostic.code) || diagnostic.code === "wrong-container");
  return { path, dialect, valid, skipped, handoffs: reading.handoffs.length, diagnostics, text: input.text };
}

/** A handoff with one wrong byte is not skipped: its dialect is recognised all the same. */
function refusedReport(
  path: string,
  file: FoundFile,
  refusal: InputRefusal,
  dialect: FileReport["dialect"],
): FileReport {
  const range = new LineTable("").range(0, 0);
  const diagnostic = { ...refusal, rule: null, severity: "error", range, fix: null } as const;
  const skipped = !isAskedFor(file) && dialect === null;
  return { path, dialect, valid: false, skipped, handoffs: 0, diagnostics: [diagnostic], text: "" };
}

/** Named on the command line, or named like a handoff: then an empty file is an error. */
export function isAskedFor({ path, named }: FoundFile): boolean {
  return named || /(?:^|[/\\])handoff-[^/\\]+\.json$/i.test(path);
}

export function shownPath(path: string): string {
  return path === "-" ? "<stdin>" : path.replaceAll("\\", "/").replace(/^\.\//, "");
}

interface OneFile {
  readonly path: string;
  readonly text: string;
  readonly reading: Reading;
  readonly handoffs: readonly Handoff[];
}

/** Reads the one file a command works on. What is wrong goes to the notes; null when it is refused. */
export async function readOne(command: Command, invocation: Invocation, terminal: Terminal): Promise<OneFile | null> {
  const path = oneOperand(command, invocation);
  const options = readOptions(command, invocation);
  const input = readInput(path, options.maxBytes, terminal);
  if (input.refused !== null) {
    await noteReport(checkFile({ path, named: true }, options, terminal), terminal);
    return null;
  }
  const shown = shownPath(path);
  const reading = readHandoffs(input.text, path === "-" ? options : { ...options, path: shown });
  const handoffs = reading.handoffs.flatMap((read) => (read.handoff === null ? [] : [read.handoff]));
  const report: FileReport = {
    path: shown,
    dialect: reading.dialect,
    valid: reading.valid,
    skipped: false,
    handoffs: reading.handoffs.length,
    diagnostics: reading.diagnostics,
    text: input.text,
  };
  if (reading.diagnostics.length > 0) await noteReport(report, terminal);
  return reading.valid && handoffs.length > 0 ? { path, text: input.text, reading, handoffs } : null;
}

export function oneOperand(command: Command, invocation: Invocation): string {
  const [path, ...more] = invocation.operands;
  if (path === undefined) throw usage(command, "Name a file, or - for standard input.");
  if (more.length > 0) throw usage(command, `One file at a time; found ${invocation.operands.length}.`);
  return path;
}

export async function noteReport(report: FileReport, terminal: Terminal): Promise<void> {
  const text = await formatReport("pretty", reportFiles([report]), {
    colour: terminal.colour.notes,
    width: terminal.columns,
    room: terminal.room.notes,
    describeRule,
  });
  terminal.note(text);
}
