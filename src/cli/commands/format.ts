import { relative, resolve, sep } from "node:path";
import { FORMATS_FOLDER, FORMAT_FILE, formatFolder } from "../../runtime/operations/format-folder.ts";
import type { FormatFile } from "../../runtime/operations/load-formats.ts";
import { AppError } from "../../shared/app-error.ts";
import { defuseLines, printJsonLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { FORMAT_NAMES, formatReport } from "../formats/choose-format.ts";
import { reportFiles } from "../formats/report.ts";
import { LEARN_DETAILS, LEARN_OPTIONS, learnOwnFormat } from "../learn-own-format.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { formatName } from "./validate.ts";

const SUBCOMMANDS = ["check", "list", "learn"] as const;

export const command: Command = {
  name: "format",
  summary: "Prove, list and learn formats of your own",
  usage: "check [FILE]... | list | learn FILES...",
  details: [
    `A format of your own is described in ${FORMAT_FILE}, several in files NAME.format.yaml in ${FORMATS_FOLDER}.`,
    "check proves format files: the keys and their values, the example valid, the words unambiguous, an outcome for every",
    "handoff, and distinguishable from the five formats and from each other. Without FILE: all that hold here.",
    "list names the formats that hold here, also those with errors, which are not used.",
    ...LEARN_DETAILS,
    "Exit code: 0 all can be used, 1 findings or questions, 2 wrong usage, 3 a file cannot be read.",
  ],
  options: {
    format: { value: "FORMAT", choices: FORMAT_NAMES, about: "check: pretty (default), json, github, sarif or junit." },
    json: { about: "Print JSON." },
    ...LEARN_OPTIONS,
    ...HELP_OPTION,
  },
  subcommands: SUBCOMMANDS,
  run: format,
};

async function format(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [word, ...files] = invocation.operands;
  const other = Object.entries(ONLY_FOR).find(([option, subcommand]) => invocation.has(option) && word !== subcommand);
  if (other !== undefined && SUBCOMMANDS.some((known) => known === word))
    throw usage(command, `--${other[0]} is for \`baton format ${other[1]}\`.`);
  if (word === "check") return check(files, invocation, terminal);
  if (word === "list" && files.length === 0) return list(invocation, terminal);
  if (word === "learn") return learnOwnFormat(command, files, invocation, terminal);
  throw usage(command, "Write `check`, with files if you like, `list`, or `learn` with files.");
}

/** Options that one subcommand alone takes. */
const ONLY_FOR: Readonly<Record<string, string>> = { format: "check", name: "learn", write: "learn" };

async function check(paths: readonly string[], invocation: Invocation, terminal: Terminal): Promise<number> {
  const { readFormatFiles, strayFormats } = await import("../../runtime/operations/load-formats.ts");
  const folder = formatFolder(terminal.directory);
  if (paths.length === 0 && folder !== null) tellStrays(strayFormats(folder), terminal);
  const files =
    paths.length > 0
      ? readFormatFiles(
          terminal.directory,
          paths.map((path) => fromDirectory(path, terminal)),
        )
      : folder === null
        ? []
        : readFormatFiles(folder);
  if (files.length === 0) throw noFormats();
  const report = reportFiles(files.map((file) => reportOf(file)));
  if (formatName(invocation) === "pretty" && files.every(({ diagnostics }) => diagnostics.length === 0)) {
    terminal.out(
      `${defuseLines(files.map(({ path, dialect }) => printable(`ok ${path} (${dialect?.name ?? ""})`)))}\n`,
    );
    return EXIT.fine;
  }
  terminal.out(
    await formatReport(formatName(invocation), report, {
      colour: terminal.colour.out,
      width: terminal.columns,
      room: terminal.room.out,
      version: terminal.version,
      describeRule: () => null,
    }),
  );
  return report.summary.invalid > 0 ? EXIT.findings : EXIT.fine;
}

function fromDirectory(path: string, { directory }: Terminal): string {
  return relative(directory, resolve(directory, path)).split(sep).join("/");
}

function noFormats(): AppError {
  return new AppError(
    "no-match",
    "There is no format of your own here.",
    `Describe one in ${FORMAT_FILE} in the root of the repository: see docs/spec/format-file.md.`,
  );
}

function reportOf({ path, dialect, diagnostics, text }: FormatFile) {
  return {
    path,
    dialect: dialect?.name ?? null,
    valid: dialect !== null,
    skipped: false,
    handoffs: 0,
    diagnostics,
    text,
  };
}

async function list(invocation: Invocation, terminal: Terminal): Promise<number> {
  const folder = formatFolder(terminal.directory);
  const { readFormatFiles, strayFormats } = await import("../../runtime/operations/load-formats.ts");
  if (folder !== null) tellStrays(strayFormats(folder), terminal);
  const files = folder === null ? [] : readFormatFiles(folder);
  const formats = files.map(({ path, dialect }) => ({
    name: dialect?.name ?? null,
    file: path,
    syntax: dialect?.syntax ?? null,
    title: dialect?.title ?? null,
    stands: dialect?.container ?? null,
    usable: dialect !== null,
  }));
  if (invocation.has("json")) terminal.out(printJsonLines({ formats }));
  else if (formats.length === 0) say(terminal, `${noFormats().message}\n`);
  else terminal.out(`${defuseLines(formats.flatMap(describe).map(printable))}\n`);
  return formats.every(({ usable }) => usable) ? EXIT.fine : EXIT.findings;
}

function tellStrays(paths: readonly string[], terminal: Terminal): void {
  for (const path of paths)
    say(terminal, `${printable(path)} is not read: the name of a format ends in .format.yaml.\n`);
}

function describe({
  name,
  file,
  title,
  stands,
}: {
  readonly name: string | null;
  readonly file: string;
  readonly title: string | null;
  readonly stands: string | null;
}): string[] {
  if (name === null) return [`${file}: has errors, see baton format check`];
  return [`${name}  ${title ?? ""}  (${file})`, `  ${stands ?? ""}`];
}
