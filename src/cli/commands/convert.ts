import { convertHandoffs, writeFor } from "../../protocol/convert-handoff.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import type { DialectName, Handoff } from "../../protocol/handoff.ts";
import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { A2A } from "../../protocol/a2a-task.ts";
import type { WriteOptions } from "../../protocol/write-handoff.ts";
import { sameJson } from "../../shared/json-value.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { readOne } from "../check-file.ts";
import { HELP_OPTION, READ_OPTIONS, formatsHere, requireDialect } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

const SETTABLE = ["from", "to", "issue", "now"] as const;

export const command: Command = {
  name: "convert",
  summary: "Write a handoff in another dialect and list every loss",
  usage: "FILE|- --to DIALECT|a2a",
  details: [
    "The text goes to standard output; losses, carried fields and filled-in values go to standard error.",
    "Fields that the target lacks are kept under `carried` and restored when the handoff is converted back.",
    "Values that the target needs and the source lacks can be given with --set, such as --set issue=71.",
    "With --to a2a, the handoff becomes a task of the A2A protocol, which other programs read.",
  ],
  options: {
    to: {
      value: "DIALECT",
      offered: [...DIALECT_NAMES, A2A],
      about: "The dialect to write, a format of your own, or a2a.",
    },
    set: { value: "NAME=VALUE", about: `Give a missing value: ${SETTABLE.join(", ")}; several are divided by commas.` },
    "no-carry": { about: "Leave out fields that the target lacks." },
    json: { about: "Print {text, dialect, diagnostics} as JSON." },
    ...READ_OPTIONS,
    ...HELP_OPTION,
  },
  run: convert,
};

async function convert(invocation: Invocation, terminal: Terminal): Promise<number> {
  const formats = await formatsHere(terminal, invocation.operands);
  const wanted = invocation.text("to");
  const target = wanted === A2A ? A2A : requireDialect(command, wanted, "--to", formats);
  const given = givenValues(invocation);
  const options = { formats, now: new Date().toISOString(), ...given, carry: !invocation.has("no-carry") };
  const one = await readOne(command, invocation, terminal);
  if (one === null) return EXIT.findings;
  const { text, isValid, ...converted } = convertHandoffs(one.handoffs, target, options);
  const diagnostics = converted.diagnostics.map(hinted);
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
  return isValid ? EXIT.fine : EXIT.findings;
}

/** Whether it makes a difference what the value is. */
function isUsedIn(handoff: Handoff, target: DialectName, options: WriteOptions, name: string, value: string): boolean {
  const { document } = writeFor(target, handoff, options);
  return !sameJson(document, writeFor(target, handoff, { ...options, [name]: `${value}0` }).document);
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

/** The value that is most often missing has an option here. */
function hinted(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.rule !== "001-R06" || diagnostic.severity !== "error") return diagnostic;
  return { ...diagnostic, hint: "The source has no issue number: give one with --set issue=N." };
}
