import { DIALECTS } from "../../protocol/dialects/registry.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { type DialectName, DIALECT_NAMES, type Handoff } from "../../protocol/handoff.ts";
import { type WriteNote, type WriteOptions, writeHandoff } from "../../protocol/write-handoff.ts";
import { sameJson } from "../../shared/json-value.ts";
import { LineTable } from "../../shared/line-table.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { readOne } from "../check-file.ts";
import { HELP_OPTION, READ_OPTIONS, requireDialect } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

const SETTABLE = ["from", "to", "issue", "now"] as const;

export const command: Command = {
  name: "convert",
  summary: "Write a handoff in another dialect and list every loss",
  usage: "FILE|- --to DIALECT",
  details: [
    "The text goes to standard output; losses, carried fields and filled-in values go to standard error.",
    "Fields that the target lacks are kept under `carried` and restored when the handoff is converted back.",
    "Values that the target needs and the source lacks can be given with --set, such as --set issue=71.",
  ],
  options: {
    to: { value: "DIALECT", choices: DIALECT_NAMES, about: "The dialect to write." },
    set: { value: "NAME=VALUE", about: `Give a missing value: ${SETTABLE.join(", ")}; several are divided by commas.` },
    "no-carry": { about: "Leave out fields that the target lacks." },
    json: { about: "Print {text, dialect, diagnostics} as JSON." },
    ...READ_OPTIONS,
    ...HELP_OPTION,
  },
  run: convert,
};

async function convert(invocation: Invocation, terminal: Terminal): Promise<number> {
  const target = requireDialect(command, invocation.text("to"), "--to");
  const given = givenValues(invocation);
  const options = { now: new Date().toISOString(), ...given, carry: !invocation.has("no-carry") };
  const one = await readOne(command, invocation, terminal);
  if (one === null) return EXIT.findings;
  const written = one.handoffs.map((handoff) => writeHandoff(handoff, target, options));
  const text = written.map((result) => result.text).join("\n");
  const notes = [...written.flatMap((result) => result.notes), ...lostBefore(one.handoffs.length, target)];
  const errors = remainingErrors(text, target);
  const diagnostics = [...notes.map((note) => asDiagnostic(note)), ...errors];
  if (invocation.has("json")) terminal.out(printJsonLines({ text, dialect: target, diagnostics }));
  else {
    terminal.out(text);
    for (const diagnostic of diagnostics)
      say(
        terminal,
        `${diagnostic.severity}: ${printable(diagnostic.message)}${diagnostic.severity === "error" ? ` ${diagnostic.hint ?? ""}` : ""} [${diagnostic.rule ?? diagnostic.code}]\n`,
      );
  }
  for (const [name, value] of Object.entries(given)) {
    const isUsed = one.handoffs.some((handoff) => isUsedIn(handoff, target, options, name, value));
    if (!isUsed)
      say(terminal, `warning: ${printable(`--set ${name}=${value}`)} was of no use: ${whyUnused(name)}. [unused]\n`);
  }
  return errors.length > 0 ? EXIT.findings : EXIT.fine;
}

/** Whether it makes a difference what the value is. */
function isUsedIn(handoff: Handoff, target: DialectName, options: WriteOptions, name: string, value: string): boolean {
  const { document } = writeHandoff(handoff, target, options);
  return !sameJson(document, writeHandoff(handoff, target, { ...options, [name]: `${value}0` }).document);
}

function whyUnused(name: string): string {
  const what = { from: "author", to: "next agent", issue: "issue number", now: "time" }[name] ?? name;
  return `the source states its ${what} itself, or the target has no field for it`;
}

function givenValues(invocation: Invocation): Readonly<Record<string, string>> {
  const given = new Map<string, string>();
  for (const pair of (invocation.text("set") ?? "").split(",").filter((part) => part !== "")) {
    const [name = "", ...value] = pair.split("=");
    if (!(SETTABLE as readonly string[]).includes(name) || value.length === 0)
      throw usage(command, `--set takes NAME=VALUE with a name of ${SETTABLE.join(", ")}; found "${pair}".`);
    given.set(name, value.join("="));
  }
  return Object.fromEntries(given);
}

/** What the target still demands and nothing could supply. */
function remainingErrors(text: string, target: DialectName): Diagnostic[] {
  const errors = readHandoffs(text, { dialect: target }).diagnostics.filter(
    (diagnostic) => diagnostic.severity === "error",
  );
  return errors.map((error) =>
    error.rule === "001-R06"
      ? { ...error, hint: "The source has no issue number: give one with --set issue=N." }
      : error,
  );
}

/** In some dialects the last of several handoffs is the only one that anybody reads. */
function lostBefore(count: number, target: DialectName): WriteNote[] {
  if (count < 2 || !DIALECTS[target].lastCounts) return [];
  const message = `The text holds ${count} handoffs, and of several in ${target} only the last one counts.`;
  return [{ code: "loss", severity: "warning", part: "handoff", message }];
}

function asDiagnostic(note: WriteNote): Diagnostic {
  const range = new LineTable("").range(0, 0);
  return { code: note.code, rule: null, severity: note.severity, message: note.message, range, hint: null, fix: null };
}
