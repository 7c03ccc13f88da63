import { LineTable } from "../shared/line-table.ts";
import type { Formats } from "../protocol/dialects/registry.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../protocol/reading.ts";
import type { FoundFile } from "./find-files.ts";
import { type FileReport, reportFiles } from "./formats/report.ts";
import { type InputRefusal, type InputText, readInput } from "./read-input.ts";
import type { Terminal } from "./terminal.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Command, Invocation } from "./command.ts";
import { describeRule } from "./describe-rule.ts";
import { formatReport } from "./formats/choose-format.ts";
import { usage } from "./parse-arguments.ts";
import { type CommandReading, formatsFor, readOptions } from "./shared-options.ts";

const NOT_A_HANDOFF = new Set(["no-handoff", "empty", "binary", "wrong-encoding", "too-large"]);

/**
 * Reads one file and reports what is wrong with it. A file that was not named and holds no handoff is skipped; one that
 * only shows or describes handoffs is listed as a document.
 */
export function checkFile(file: FoundFile, options: CommandReading, terminal: Terminal): FileReport {
  const path = shownPath(file.path);
  const input = readInput(file.path, options.maxBytes, terminal);
  if (input.refused !== null) return refusedReport(path, file, input.refused, dialectIn(input, file, options));
  const reading = readHandoffs(input.text, readingOf(file, options));
  const { dialect, valid, diagnostics, document } = reading;
  const skipped =
    document !== undefined ||
    (!isAskedFor(file) &&
      dialect === null &&
      diagnostics.every((diagnostic) => NOT_A_HANDOFF.has(diagnostic.code) || diagnostic.code === "wrong-container"));
  const handoffs = reading.handoffs.length;
  if (document === undefined) return { path, dialect, valid, skipped, handoffs, diagnostics, text: input.text };
  const told = diagnostics.filter(({ code }) => code !== "no-handoff");
  return { path, dialect, valid, skipped, document, handoffs, diagnostics: told, text: input.text };
}

/** As `checkFile`, but for files with an unusual name that turn out to have nothing to do with handoffs. */
export function checkFiles(files: readonly FoundFile[], options: CommandReading, terminal: Terminal): FileReport[] {
  return files.flatMap((file) => {
    const report = checkFile(file, options, terminal);
    return file.unusual === true && report.skipped && report.document === undefined ? [] : [report];
  });
}

/**
 * The format files with errors that hold for one of the files, each as a file that is wrong: a part of any of them could
 * be a handoff of such a format, and nothing that was not read counts as fine.
 */
export function brokenFormatReports({ brokenAt }: Pick<CommandReading, "brokenAt">): FileReport[] {
  const broken = [...(brokenAt ?? [])].flatMap(([, files]) => files);
  return [...new Set(broken)].map(({ path, diagnostics, text }) => ({
    path,
    dialect: null,
    valid: false,
    skipped: false,
    handoffs: 0,
    diagnostics,
    text,
  }));
}

/** The dialect of a handoff of which only a part could be seen, or whose bytes are not all text; null when there is no sign of one. */
function dialectIn(
  { refused, seen }: Extract<InputText, { seen: string }>,
  file: FoundFile,
  options: CommandReading,
): FileReport["dialect"] {
  const { limits: _limits, ...reading } = readingOf(file, options);
  const { dialect } = readHandoffs(seen, reading);
  if (dialect !== null || refused.code !== "too-large") return dialect;
  // Where the end begins inside of a fence, its blocks cannot be told from the text around them.
  const sign = SIGNS.find(([pattern]) => pattern.test(seen.slice(-SEEN_END)));
  return sign?.[1] ?? null;
}

const SEEN_END = 65_536;
const SIGNS: readonly (readonly [RegExp, FileReport["dialect"]])[] = [
  [/^"?handoff"?:[ \t]*\r?\n[ \t]+["']?(?:phase|from|to|status)\b/m, "phase-yaml"],
  [/"(?:skills_invoked|library_skills_read|output_type)"[ \t]*:/, "output-json"],
  [/"(?:from_agent|to_agent)"[ \t]*:/, "pipeline-json"],
  [/<(?:handoff|workflow-complete)>\s*</, "issue-xml"],
  [/^#{1,6}[ \t]+handoff:?[ \t]*\r?\n\s*(?:```ya?ml\s+)?outcome[ \t]*:/im, "task-yaml"],
];

/** How a file is read: its name says something, where it stands, and whether the user named it. */
export function readingOf(file: FoundFile, options: CommandReading): ReadOptions {
  const { formatsAt: _formatsAt, brokenAt: _brokenAt, maxBytes: _maxBytes, ...common } = options;
  const reading = { ...common, formats: formatsFor(file.path, options) };
  const asked = file.named ? reading : { ...reading, scan: true };
  return file.path === "-" ? asked : { ...asked, path: shownPath(file.path) };
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
  const file: FoundFile = { path, named: true };
  const options = await readOptions(command, invocation, terminal, [file], true);
  const input = readInput(path, options.maxBytes, terminal);
  if (input.refused !== null) {
    await noteReport(checkFile(file, options, terminal), terminal, options.formats);
    return null;
  }
  const shown = shownPath(path);
  const reading = readHandoffs(input.text, readingOf(file, options));
  for (const broken of brokenFormatReports(options)) await noteReport(broken, terminal, options.formats);
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
  if (reading.diagnostics.length > 0) await noteReport(report, terminal, options.formats);
  return reading.valid && handoffs.length > 0 ? { path, text: input.text, reading, handoffs } : null;
}

export function oneOperand(command: Command, invocation: Invocation): string {
  const [path, ...more] = invocation.operands;
  if (path === undefined) throw usage(command, "Name a file, or - for standard input.");
  if (more.length > 0) throw usage(command, `One file at a time; found ${invocation.operands.length}.`);
  return path;
}

export async function noteReport(report: FileReport, terminal: Terminal, formats?: Formats): Promise<void> {
  const text = await formatReport("pretty", reportFiles([report]), {
    colour: terminal.colour.notes,
    width: terminal.columns,
    room: terminal.room.notes,
    describeRule: (id) => describeRule(id, formats),
  });
  terminal.note(text);
}
