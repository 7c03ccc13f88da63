import { resolve } from "node:path";
import type { Formats } from "../../protocol/dialects/registry.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { VerifyContext } from "../../runtime/engine.ts";
import {
  CLAIM_TRAITS,
  type HandoffText,
  type Verification,
  type VerifyBase,
  changedFiles,
  fromRoot,
  verifyFiles,
} from "../../runtime/operations/verify-files.ts";
import { formatsByTrust } from "../../runtime/operations/formats-by-trust.ts";
import { AppError } from "../../shared/app-error.ts";
import { printable } from "../../shared/printable.ts";
import { appendSummary } from "../write-file.ts";
import { checkFile, readingOf, shownPath } from "../check-file.ts";
import { type Measure, chooseMeasure } from "../choose-gates.ts";
import type { Command, Invocation } from "../command.ts";
import { describeRule } from "../describe-rule.ts";
import { EXIT } from "../exit-code.ts";
import type { FoundFile } from "../find-files.ts";
import { say } from "../fit-lines.ts";
import { FORMAT_NAMES, formatReport } from "../formats/choose-format.ts";
import type { FileReport, VerifyDetails } from "../formats/report.ts";
import { usage } from "../parse-arguments.ts";
import { type CommandReading, HELP_OPTION, READ_OPTIONS, namedFiles, readOptions } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { type VerifyResult, describeVerifyRule, verifyPage, verifyReport } from "../verify-report.ts";
import { formatName } from "./validate.ts";

export const command: Command = {
  name: "verify",
  summary: "Check whether what handoffs claim is true, against git and gates",
  usage: "FILE...",
  details: [
    "Works in any git repository, without a run, and writes nothing into it. FILE is a file, a folder, a glob or -.",
    "Each claim is confirmed, refuted or unverifiable; a claim that cannot be checked is never confirmed.",
    'Tests, coverage and checks need a run: --run-gates --gate test="npm test" --report reports/junit.xml',
    "Exit code: 0 nothing refused; 1 a refuted claim that the policy refuses, a handoff that is not valid, or a gate that",
    "did not pass; 2 wrong usage; 3 it could not be done: no repository, a workflow that is not valid or not trusted, a",
    "gate that could not start, a report that the gate has not written.",
  ],
  options: {
    base: { value: "REV", about: "Count changes since this commit; without it, since the branch or the change began." },
    changed: { about: "Verify only handoffs that changed since the base." },
    "run-gates": { about: "Run the gates in the sandbox, each in a clean copy of the files." },
    gate: { value: "NAME=COMMAND", about: "A gate, by what it proves: test, lint, build, ... May be repeated." },
    report: { value: "[GATE=]PATH", about: "A report that a gate writes: JUnit, TAP, lcov, ... May be repeated." },
    bring: {
      value: "PATH",
      about: "A folder that git ignores and gates need. Gates cannot change it. May be repeated.",
    },
    workflow: { value: "FILE", about: "Take gates and policy from a workflow that you trust; --gate NAME picks some." },
    trust: { value: "HASH", about: "Trust the workflow and the files it names if they have exactly this hash." },
    strict: { about: "Refuse every claim that is refuted." },
    all: { about: "List every claim." },
    format: { value: "FORMAT", choices: FORMAT_NAMES, about: "pretty (default), json, github, sarif or junit." },
    json: { about: "The same as --format json." },
    summary: { about: "Also append the findings to the summary of the job ($GITHUB_STEP_SUMMARY), if there is one." },
    ...READ_OPTIONS,
    ...HELP_OPTION,
  },
  run: verify,
};

async function verify(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length === 0) throw usage(command, "Name a file with a handoff, a folder, a glob or -.");
  const found = (await namedFiles(command, invocation, terminal)).map((file) => placed(file, terminal));
  const options = await readOptions(command, invocation, terminal, found);
  const measure = await chooseMeasure(command, invocation, terminal);
  const verifyContext = await terminal.openInspection();
  try {
    const { base, files, unchanged } = await chooseFiles(verifyContext, found, invocation);
    const checked = files.map((file) => ({ file, report: checkFile(file, options, terminal) }));
    if (unchanged === 0 && checked.every(({ report }) => report.skipped))
      throw new AppError("no-match", "The named files contain no handoff.", "Name a file that holds one.");
    const texts = checked.flatMap(({ file, report }) => (report.valid ? [textOf(file, report, options)] : []));
    const verification =
      texts.length > 0 ? await look(verifyContext, texts, measure, invocation, terminal) : nothingSeen(base);
    const result: VerifyResult = {
      files: checked.map((each) => each.report),
      verification,
      strict: invocation.has("strict"),
      unchanged,
      paths: pathsFromRoot(files, verifyContext.root),
    };
    return await printVerified(result, options.formats, invocation, terminal);
  } finally {
    await verifyContext.close();
  }
}

interface PlacedFile extends FoundFile {
  /** Absolute; null for standard input. */
  readonly place: string | null;
}

function placeOf(path: string | undefined, terminal: Terminal): string | undefined {
  return path === undefined ? undefined : resolve(terminal.directory, path);
}

function placed(file: FoundFile, terminal: Terminal): PlacedFile {
  return { ...file, place: file.path === "-" ? null : resolve(terminal.directory, file.path) };
}

interface Choice {
  readonly base: VerifyBase | null;
  readonly files: readonly PlacedFile[];
  readonly unchanged: number;
}

async function chooseFiles(
  verifyContext: VerifyContext,
  files: readonly PlacedFile[],
  invocation: Invocation,
): Promise<Choice> {
  if (!invocation.has("changed")) return { base: null, files, unchanged: 0 };
  const { base, changed } = await changedFiles(verifyContext, invocation.text("base") ?? null, files);
  return { base, files: changed, unchanged: files.length - changed.length };
}

function nothingSeen(base: VerifyBase | null): Verification | null {
  return base === null ? null : { base, gates: [], handoffs: [] };
}

/** For formats that are read at the root of the repository, wherever the command was given. */
function pathsFromRoot(files: readonly PlacedFile[], root: string): Map<string, string> {
  return new Map(files.flatMap((file) => fromRoot([file], root).map((path) => [shownPath(file.path), path])));
}

function textOf(file: PlacedFile, report: FileReport, options: CommandReading): HandoffText {
  const { path, text } = report;
  const reading = readingOf(file, options);
  const { handoffs } = readHandoffs(text, reading);
  return { path, place: file.place, text, options: reading, handoffs };
}

async function look(
  verifyContext: VerifyContext,
  files: readonly HandoffText[],
  { gates, policy, writesTests, covered }: Measure,
  invocation: Invocation,
  terminal: Terminal,
): Promise<Verification> {
  return verifyFiles(verifyContext, {
    files,
    gates,
    policy,
    writesTests,
    formats: formatsByTrust(verifyContext.root, {
      repositoryInfo: () => terminal.repositoryInfo(),
      configFolder: terminal.configFolder,
      covered,
    }),
    bring: invocation.texts("bring").map((path) => path.replace(/(?<=.)\/+$/, "")),
    base: invocation.text("base") ?? null,
    workflow: placeOf(invocation.text("workflow"), terminal),
    signal: gates.length === 0 ? new AbortController().signal : terminal.interruption(),
    onGate: (name) => say(terminal, `Running gate ${printable(name)} ...\n`),
  });
}

async function printVerified(
  result: VerifyResult,
  formats: Formats,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const report = verifyReport(result);
  const { verified } = report;
  terminal.out(
    await formatReport(formatName(invocation), report, {
      colour: terminal.colour.out,
      width: terminal.columns,
      room: terminal.room.out,
      all: invocation.has("all"),
      version: terminal.version,
      describeRule: (id) => describeVerifyRule(id) ?? describeRule(id, formats),
    }),
  );
  if (invocation.has("summary")) {
    const { pageMarkdown } = await import("../../runtime/operations/report-runs.ts");
    appendSummary(terminal, pageMarkdown(verifyPage(report)));
  }
  if (!invocation.has("run-gates")) adviseGates(verified, terminal);
  const { refused, invalid, gatesFailed, gatesUnusable } = verified.summary;
  if (refused + invalid + gatesFailed > 0) return EXIT.findings;
  return gatesUnusable > 0 ? EXIT.unable : EXIT.fine;
}

function adviseGates({ handoffs }: VerifyDetails, terminal: Terminal): void {
  const isWaiting = handoffs
    .flatMap(({ claims }) => claims)
    .some(({ kind, verdict }) => verdict === "unverifiable" && CLAIM_TRAITS[kind].judgedBy === "gate");
  if (!isWaiting) return;
  say(
    terminal,
    `Claims about tests, coverage and checks are judged by running them:\n  baton verify FILE --run-gates --gate test="npm test" --report reports/junit.xml\n`,
  );
}
