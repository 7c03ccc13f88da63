import { resolve } from "node:path";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { ReadOptions } from "../../protocol/reading.ts";
import { type HandoffText, type Verification, verifyFiles } from "../../runtime/operations/verify-files.ts";
import type { VerifyGate } from "../../runtime/operations/verify-gates.ts";
import { AppError } from "../../shared/app-error.ts";
import { printable } from "../../shared/printable.ts";
import { checkFile } from "../check-file.ts";
import { chooseGates, loadPolicy } from "../choose-gates.ts";
import type { Command, Invocation } from "../command.ts";
import { describeRule } from "../describe-rule.ts";
import { EXIT } from "../exit-code.ts";
import { type FoundFile, findFiles } from "../find-files.ts";
import { FORMAT_NAMES } from "../formats/choose-format.ts";
import { formatVerification } from "../formats/choose-verify-format.ts";
import type { FileReport } from "../formats/report.ts";
import { type VerifyReport, claimsOf, summariseVerification } from "../formats/verify-report.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, READ_OPTIONS, readOptions } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { formatName } from "./validate.ts";

export const command: Command = {
  name: "verify",
  summary: "Check whether what handoffs claim is true, against git and gates",
  usage: "FILE...",
  details: [
    "Works in any git repository, without a run, and writes nothing into it. FILE is a file, a folder, a glob or -.",
    "Each claim is confirmed, refuted or unverifiable; what has no procedure is never taken for true.",
    'Tests, coverage and checks need a run: --run-gates --gate test="npm test" --report reports/junit.xml',
    "Exit code: 0 nothing refused, 1 a refuted claim that the policy refuses or a handoff that is not valid,",
    "2 wrong usage, 3 no repository or something cannot be read.",
  ],
  options: {
    base: { value: "REV", about: "Count changes from this commit; else from where the branch or the change began." },
    "run-gates": { about: "Run the gates, in the sandbox, each in a clean copy of the files as they are." },
    gate: { value: "NAME=COMMAND", about: "A gate, by what it proves: test, lint, build, ... May be given again." },
    report: { value: "[GATE=]PATH", about: "A report that a gate writes: JUnit, TAP, lcov, ... May be given again." },
    workflow: { value: "FILE", about: "Take gates and policy from a workflow that you trust; --gate NAME picks some." },
    trust: { value: "HASH", about: "Trust the workflow file if it has exactly this hash." },
    strict: { about: "Refuse every claim that is refuted." },
    all: { about: "List every claim." },
    format: { value: "FORMAT", choices: FORMAT_NAMES, about: "pretty (default), json, github, sarif or junit." },
    json: { about: "The same as --format json." },
    ...READ_OPTIONS,
    ...HELP_OPTION,
  },
  run: verify,
};

async function verify(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length === 0) throw usage(command, "Name a file with a handoff, a folder, a glob or -.");
  const options = readOptions(command, invocation);
  const gates = await chooseGates(command, invocation, terminal);
  const found = findFiles(invocation.operands);
  const checked = found.map((file) => ({ file, report: checkFile(file, options, terminal) }));
  if (checked.every(({ report }) => report.skipped))
    throw new AppError("no-match", "There is no handoff in what was named.", "Name a file that holds one.");
  const texts = checked.flatMap(({ file, report }) => (report.valid ? [textOf(file, report, options, terminal)] : []));
  const verification = texts.length === 0 ? null : await look(texts, gates, invocation, terminal);
  const report: VerifyReport = {
    files: checked.map((each) => each.report),
    verification,
    strict: invocation.has("strict"),
  };
  terminal.out(
    await formatVerification(formatName(invocation), report, {
      colour: terminal.colour.out,
      width: terminal.columns,
      all: invocation.has("all"),
      version: terminal.version,
      describeRule: (id) => describeRule(id),
    }),
  );
  if (!invocation.has("run-gates")) tellOfGates(report, terminal);
  const { refused, invalid } = summariseVerification(report);
  return refused > 0 || invalid > 0 ? EXIT.findings : EXIT.fine;
}

function textOf(file: FoundFile, report: FileReport, options: ReadOptions, terminal: Terminal): HandoffText {
  const { path, text } = report;
  const isFile = file.path !== "-";
  const { handoffs } = readHandoffs(text, isFile ? { ...options, path } : options);
  return { path, place: isFile ? resolve(terminal.directory, file.path) : null, text, handoffs };
}

async function look(
  files: readonly HandoffText[],
  gates: readonly VerifyGate[],
  invocation: Invocation,
  terminal: Terminal,
): Promise<Verification> {
  const policy = await loadPolicy(invocation, terminal);
  const inspection = await terminal.openInspection();
  try {
    return await verifyFiles(inspection, {
      files,
      gates,
      policy,
      base: invocation.text("base") ?? null,
      signal: gates.length === 0 ? new AbortController().signal : terminal.interruption(),
      onGate: (name) => terminal.note(`Running gate ${printable(name)} ...\n`),
    });
  } finally {
    await inspection.close();
  }
}

const RUNNABLE = new Set<string>(["test", "coverage", "check", "command"]);

function tellOfGates(report: VerifyReport, terminal: Terminal): void {
  const waiting = claimsOf(report).filter(({ kind, verdict }) => verdict === "unverifiable" && RUNNABLE.has(kind));
  if (waiting.length === 0) return;
  terminal.note(
    `Claims about tests, coverage and checks are judged by running them:\n  baton verify FILE --run-gates --gate test="npm test" --report reports/junit.xml\n`,
  );
}
