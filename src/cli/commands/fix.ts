import type { Formats } from "../../protocol/dialects/registry.ts";
import { type LeftAlone, type RepairedFile, repairFile } from "../../protocol/fix-handoff.ts";
import { count } from "../../shared/count.ts";
import { diffLines } from "../../shared/line-diff.ts";
import { defuseLines, printable, printJsonLines } from "../../shared/printable.ts";
import { isAskedFor, noteReport, readingOf, shownPath } from "../check-file.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { FoundFile } from "../find-files.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { readInput } from "../read-input.ts";
import { HELP_OPTION, READ_OPTIONS, namedFiles, readOptions } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { writeFileSafely } from "../write-file.ts";

export const command: Command = {
  name: "fix",
  summary: "Make safe repairs and show them as a diff",
  usage: "PATH...|-",
  details: [
    "Safe repairs only: an unquoted @agent, trailing commas and comments in JSON, a bare & in XML,",
    "words in the wrong case, other words for success or failure, a misspelled field whose value fits,",
    "in JSON a list or record one level too deep, defaults the format itself names.",
    "Without --write nothing is changed. With - the repaired text goes to standard output.",
    "A text that would stay invalid is left as it is, unless --partial is given. Prompts and schemas are never changed.",
    "Exit code: 0 when everything is valid afterwards, 1 when something is left for a person.",
  ],
  options: {
    write: { about: "Change the files." },
    partial: { about: "Make repairs in texts that stay invalid, too." },
    json: { about: "Print what was done as JSON." },
    ...READ_OPTIONS,
    ...HELP_OPTION,
  },
  run: fix,
};

interface FixedFile {
  readonly path: string;
  readonly fixes: readonly string[];
  readonly written: boolean;
  /** Of the text as it is afterwards. */
  readonly valid: boolean;
  /** Why none of the fixes was made. */
  readonly left?: LeftAlone;
  /** The repaired text of standard input, which has no file to be written to. */
  readonly text?: string;
}

async function fix(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length === 0) throw usage(command, "Name a file, a folder, a glob or - for standard input.");
  const results: FixedFile[] = [];
  const files = await namedFiles(command, invocation, terminal);
  const options = await readOptions(command, invocation, terminal, files);
  for (const file of files) {
    const result = await fixFile(file, options, invocation, terminal);
    if (result !== null) results.push(result);
  }
  if (invocation.has("json")) terminal.out(printJsonLines({ files: results }));
  return results.every((result) => result.valid) ? EXIT.fine : EXIT.findings;
}

async function fixFile(
  file: FoundFile,
  options: Awaited<ReturnType<typeof readOptions>>,
  invocation: Invocation,
  terminal: Terminal,
): Promise<FixedFile | null> {
  const { path } = file;
  const input = readInput(path, options.maxBytes, terminal);
  const shown = shownPath(path);
  if (input.refused !== null) {
    if (!isAskedFor(file)) return null;
    say(terminal, `${printable(shown)}: ${input.refused.message} ${input.refused.hint}\n`);
    return { path: shown, fixes: [], written: false, valid: false };
  }
  const isFile = path !== "-";
  const partial = invocation.has("partial");
  const repaired = repairFile(input.text, readingOf(file, options), { partial });
  const { dialect, document } = repaired.fixed.reading;
  if (document !== undefined || (!isAskedFor(file) && dialect === null)) return null;
  const write = invocation.has("write") && isFile && repaired.text !== input.text;
  if (write) writeFileSafely(path, repaired.text);
  if (!invocation.has("json")) await show(file, options.formats, input.text, { ...repaired, write }, terminal);
  return { path: shown, ...describeRepairs(repaired), written: write, ...(!isFile && { text: repaired.text }) };
}

function describeRepairs({ left, fixed }: RepairedFile): Pick<FixedFile, "fixes" | "valid" | "left"> {
  const fixes = fixed.applied.map((diagnostic) => diagnostic.fix?.title ?? "");
  return { fixes, valid: fixed.reading.valid && left === null, ...(left !== null && { left }) };
}

async function show(
  { path }: FoundFile,
  formats: Formats,
  before: string,
  { text, left, fixed, write }: RepairedFile & { readonly write: boolean },
  terminal: Terminal,
): Promise<void> {
  const { applied, reading } = fixed;
  const shown = shownPath(path);
  if (path === "-") terminal.out(text);
  else if (before !== fixed.text) {
    const lines = [`--- ${shown}`, `+++ ${shown} (fixed)`, ...diffLines(before, fixed.text)];
    terminal.out(`${defuseLines(lines.map(printable))}\n`);
  }
  const repairs = count(applied.length, "repair");
  const possible = `possible; --write makes ${applied.length === 1 ? "it" : "them"}`;
  const done = left === null ? (write ? "written" : path === "-" ? "made" : possible) : `not made: ${LEFT_ALONE[left]}`;
  if (applied.length === 0) say(terminal, `${printable(shown)}: nothing to repair safely.\n`);
  else say(terminal, `${printable(shown)}: ${repairs} ${done}.\n`);
  if (!reading.valid) {
    await noteReport(
      {
        path: shown,
        dialect: reading.dialect,
        valid: false,
        skipped: false,
        handoffs: reading.handoffs.length,
        diagnostics: reading.diagnostics,
        text: fixed.text,
      },
      terminal,
      formats,
    );
  }
}

const LEFT_ALONE: Readonly<Record<LeftAlone, string>> = {
  prompt: "the file is the prompt of an agent, which shows handoffs and holds none",
  schema: "the file is a schema, which describes handoffs and holds none",
  "stays-invalid": "the text would still be invalid; --partial makes them all the same",
};
