import { fixHandoffs } from "../../protocol/fix-handoff.ts";
import { count } from "../../shared/count.ts";
import { diffLines } from "../../shared/line-diff.ts";
import { defuseLines, printable, printJsonLines } from "../../shared/printable.ts";
import { isAskedFor, shownPath, noteReport } from "../check-file.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { findFiles } from "../find-files.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { readInput } from "../read-input.ts";
import { HELP_OPTION, READ_OPTIONS, readOptions } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { writeFileSafely } from "../write-file.ts";

export const command: Command = {
  name: "fix",
  summary: "Make safe repairs and show them as a diff",
  usage: "PATH...|-",
  details: [
    "Safe repairs only: an unquoted @agent, trailing commas and comments in JSON, a bare & in XML,",
    "words in the wrong case, a misspelled field whose value fits, defaults the format itself names.",
    "Without --write nothing is changed. With - the repaired text goes to standard output.",
    "Exit code: 0 when everything is valid afterwards, 1 when something is left for a person.",
  ],
  options: {
    write: { about: "Change the files." },
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
  readonly valid: boolean;
  /** The repaired text of standard input, which has no file to be written to. */
  readonly text?: string;
}

async function fix(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length === 0) throw usage(command, "Name a file, a folder, a glob or - for standard input.");
  const results: FixedFile[] = [];
  for (const file of findFiles(invocation.operands)) {
    const result = await fixFile(file.path, isAskedFor(file), invocation, terminal);
    if (result !== null) results.push(result);
  }
  if (invocation.has("json")) terminal.out(printJsonLines({ files: results }));
  return results.every((result) => result.valid) ? EXIT.fine : EXIT.findings;
}

async function fixFile(
  path: string,
  named: boolean,
  invocation: Invocation,
  terminal: Terminal,
): Promise<FixedFile | null> {
  const options = readOptions(command, invocation);
  const input = readInput(path, options.maxBytes, terminal);
  const shown = shownPath(path);
  if (input.refused !== null) {
    if (!named) return null;
    say(terminal, `${printable(shown)}: ${input.refused.message} ${input.refused.hint}\n`);
    return { path: shown, fixes: [], written: false, valid: false };
  }
  const { text, applied, reading } = fixHandoffs(input.text, path === "-" ? options : { ...options, path: shown });
  if (!named && reading.dialect === null) return null;
  const write = invocation.has("write") && path !== "-" && text !== input.text;
  if (write) writeFileSafely(path, text);
  if (!invocation.has("json"))
    await show(path, shown, input.text, text, { applied: applied.length, write, reading }, terminal);
  return {
    path: shown,
    fixes: applied.map((diagnostic) => diagnostic.fix?.title ?? ""),
    written: write,
    valid: reading.valid,
    ...(path === "-" && { text }),
  };
}

interface Outcome {
  readonly applied: number;
  readonly write: boolean;
  readonly reading: ReturnType<typeof fixHandoffs>["reading"];
}

async function show(
  path: string,
  shown: string,
  before: string,
  after: string,
  outcome: Outcome,
  terminal: Terminal,
): Promise<void> {
  if (path === "-") terminal.out(after);
  else if (before !== after) {
    const lines = [`--- ${shown}`, `+++ ${shown} (fixed)`, ...diffLines(before, after)];
    terminal.out(`${defuseLines(lines.map(printable))}\n`);
  }
  const { applied, write, reading } = outcome;
  const repairs = count(applied, "repair");
  const possible = `possible; --write makes ${applied === 1 ? "it" : "them"}`;
  if (applied === 0) say(terminal, `${printable(shown)}: nothing to repair safely.\n`);
  else say(terminal, `${printable(shown)}: ${repairs} ${write ? "written" : path === "-" ? "made" : possible}.\n`);
  if (!reading.valid) {
    await noteReport(
      {
        path: shown,
        dialect: reading.dialect,
        valid: false,
        skipped: false,
        handoffs: reading.handoffs.length,
        diagnostics: reading.diagnostics,
        text: after,
      },
      terminal,
    );
  }
}
