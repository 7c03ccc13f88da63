import { mkdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LearnedFormat, LearnedSamples } from "../protocol/format-file/learning/learn-format.ts";
import type { SampleFile } from "../protocol/format-file/learning/sample-documents.ts";
import type { TriedFile } from "../protocol/format-file/learning/try-format.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import { FORMATS_FOLDER, FORMAT_FILE, formatFolder } from "../runtime/operations/format-folder.ts";
import { count } from "../shared/count.ts";
import { printJsonLines, printable } from "../shared/printable.ts";
import { redactor } from "../shared/redact.ts";
import { shownPath } from "./check-file.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { findFiles } from "./find-files.ts";
import { say } from "./fit-lines.ts";
import { usage } from "./parse-arguments.ts";
import { readInput } from "./read-input.ts";
import type { Terminal } from "./terminal.ts";
import { writeNewFile } from "./write-file.ts";

export const LEARN_OPTIONS = {
  name: { value: "NAME", about: "learn: what the format is called." },
  write: { about: `learn: write ${FORMAT_FILE}, or a file in ${FORMATS_FOLDER} if there is one already.` },
} as const satisfies Readonly<Record<string, Option>>;

export const LEARN_DETAILS: readonly string[] = [
  "learn drafts a format file from existing handoffs (files, folders, globs): where they stand, their fields with types,",
  "words and what is always there, what each most likely means, and questions where only you know the answer. It prints",
  "the draft, and tells how many of the files it accepts. Texts of the files stand in it only as short, masked examples.",
];

const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A file as it is reported. */
interface FileReport {
  readonly path: string;
  readonly learned: boolean;
  readonly accepted: boolean;
  readonly why: string | null;
}

/** `baton format learn FILES...`: 0 when nothing is left to a person, 1 otherwise. */
export async function learnOwnFormat(
  command: Command,
  operands: readonly string[],
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  if (operands.length === 0) throw usage(command, "Name the files, folders or patterns to learn from.");
  const [{ learnFormat }, { tryFormat }] = await Promise.all([
    import("../protocol/format-file/learning/learn-format.ts"),
    import("../protocol/format-file/learning/try-format.ts"),
  ]);
  const { files, unread } = readSamples(command, operands, terminal);
  const samples = learnFormat(files, nameGiven(command, invocation));
  const { format } = samples;
  const tried = format?.model === null || format === null ? [] : tryFormat(format.model, files);
  const reports = [...unread, ...files.map(({ path }, file) => reportFile(path, file, samples, tried))];
  const written = format !== null && invocation.has("write") ? writeDraft(format, terminal) : null;
  if (invocation.has("json")) printAsJson(format, reports, written, terminal);
  else show(format, reports, written, terminal);
  const isWhole = format?.questions.length === 0 && format.model !== null && reports.every(({ accepted }) => accepted);
  return isWhole ? EXIT.fine : EXIT.findings;
}

/** A draft with another name would not be read, and its name is that of a file. */
function nameGiven(command: Command, invocation: Invocation): { readonly name?: string } {
  const name = invocation.text("name");
  if (name === undefined) return {};
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= 40) return { name };
  throw usage(command, `"${name}" is no name of a format: lower-case words joined by hyphens, at most 40 characters.`);
}

function readSamples(
  command: Command,
  operands: readonly string[],
  terminal: Terminal,
): { files: SampleFile[]; unread: FileReport[] } {
  const found = findFiles(operands);
  if (found.length > MAX_FILES)
    throw usage(command, `These are ${found.length} files; ${MAX_FILES} are enough to learn from.`);
  const files: SampleFile[] = [];
  const unread: FileReport[] = [];
  let bytes = 0;
  for (const { path } of found) {
    const { text, refused } = readInput(path, DEFAULT_LIMITS.bytes, terminal);
    bytes += text.length;
    if (bytes > MAX_BYTES) throw usage(command, "These files are too large together: name fewer of them.");
    if (refused === null) files.push({ path, text });
    else unread.push({ path: shownPath(path), learned: false, accepted: false, why: refused.message });
  }
  return { files, unread };
}

const redact = redactor([]);

function reportFile(
  path: string,
  file: number,
  { format, others }: LearnedSamples,
  tried: readonly TriedFile[],
): FileReport {
  const accepted = tried[file]?.isAccepted === true;
  const why = others.find((other) => other.file === file)?.why ?? (accepted ? null : (tried[file]?.why ?? null));
  return {
    path: shownPath(path),
    learned: format?.learned.includes(file) === true,
    accepted,
    why: why === null ? null : redact(why),
  };
}

/** Never over a file that is there. */
function writeDraft({ name, text }: LearnedFormat, terminal: Terminal): string {
  const root = formatFolder(terminal.directory) ?? repositoryRoot(terminal.directory);
  const isTaken = existsSync(join(root, FORMAT_FILE));
  const path = isTaken ? join(root, FORMATS_FOLDER, `${name}.format.yaml`) : join(root, FORMAT_FILE);
  if (isTaken) mkdirSync(dirname(path), { recursive: true });
  writeNewFile(path, text);
  return isTaken ? `${FORMATS_FOLDER}/${name}.format.yaml` : FORMAT_FILE;
}

function repositoryRoot(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}

function printAsJson(
  format: LearnedFormat | null,
  files: readonly FileReport[],
  written: string | null,
  terminal: Terminal,
): void {
  const accepted = files.filter((file) => file.accepted).length;
  const { name = null, text = null, questions = [], problems = [] } = format ?? {};
  terminal.out(printJsonLines({ name, draft: text, questions, problems, accepted, files, written }));
}

const MAX_TOLD = 20;

function show(
  format: LearnedFormat | null,
  files: readonly FileReport[],
  written: string | null,
  terminal: Terminal,
): void {
  if (format === null) say(terminal, "Nothing was learned: no file holds a record.\n");
  else if (written === null) terminal.out(format.text);
  const accepted = files.filter((file) => file.accepted).length;
  const learned = files.filter((file) => file.learned).length;
  if (format !== null)
    say(
      terminal,
      `Learned from ${learned} of ${count(files.length, "file")}. The draft accepts ${accepted} of them.\n`,
    );
  showRefused(files, terminal);
  if (format !== null) showOpen(format, terminal);
  if (written !== null) say(terminal, `${printable(written)} was written. ${nextStep(format)}\n`);
}

/** A draft with a question is a format with an error. */
function nextStep(format: LearnedFormat | null): string {
  if (format?.questions.length === 0) return "Prove it with `baton format check`.";
  return 'It is not used until its questions are answered: replace each "?" in it, then prove it with `baton format check`. Until then `baton validate` reports it as an error.';
}

function showRefused(files: readonly FileReport[], terminal: Terminal): void {
  const refused = files.filter((file) => !file.accepted || !file.learned);
  for (const { path, accepted, why } of refused.slice(0, MAX_TOLD))
    say(
      terminal,
      `${accepted ? "left out" : "not accepted"}: ${printable(`${path}: ${why ?? "No draft to try it with."}`)}\n`,
    );
  if (refused.length > MAX_TOLD) say(terminal, `${refused.length - MAX_TOLD} more; --json lists them all\n`);
}

function showOpen({ problems, questions }: LearnedFormat, terminal: Terminal): void {
  for (const problem of problems) say(terminal, `wrong in the draft: ${printable(redact(problem))}\n`);
  for (const [index, question] of questions.entries())
    say(terminal, `question ${index + 1}: ${printable(redact(question))}\n`);
}
