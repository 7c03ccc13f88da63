import { type LoadedWorkflow, loadWorkflow } from "../runtime/operations/load-workflow.ts";
import {
  type VerifyGate,
  gateOf,
  gatesOf,
  requirementsOf,
  runsTests,
  type VerifyPolicy,
  defaultPolicy,
  policyOf,
  testersOf,
} from "../runtime/operations/verify-gates.ts";
import type { TrustSubject } from "../runtime/operations/trust-workflow.ts";
import { AppError } from "../shared/app-error.ts";
import { printable } from "../shared/printable.ts";
import type { Command, Invocation } from "./command.ts";
import { ensureTrusted } from "./ensure-trusted.ts";
import { say } from "./fit-lines.ts";
import { usage } from "./parse-arguments.ts";
import type { Terminal } from "./terminal.ts";

type Named = Pick<Command, "name">;
type Workflow = NonNullable<LoadedWorkflow["workflow"]>;

/** The gates and the policy that handoffs are verified by. */
export interface Measure {
  readonly gates: readonly VerifyGate[];
  readonly policy: VerifyPolicy;
  /** Whether an author may change tests that are there; null where no workflow tells. */
  readonly writesTests: (author: string | null) => boolean | null;
  /** Files that are trusted with the workflow. */
  readonly covered: TrustSubject["files"];
}

/** A workflow file is read once, so that the trusted content is the one that is used. */
export async function chooseMeasure(command: Named, invocation: Invocation, terminal: Terminal): Promise<Measure> {
  checkOptions(command, invocation);
  const name = invocation.text("workflow");
  const trusted = name === undefined ? null : await trustedWorkflow(name, invocation.text("trust"), terminal);
  const { workflow, covered } = trusted ?? { workflow: null, covered: [] };
  const policy = workflow === null ? defaultPolicy : policyOf(workflow);
  const isTester = workflow === null ? () => null : testersOf(workflow);
  if (!invocation.has("run-gates")) return { gates: [], policy, writesTests: isTester, covered };
  const gates = pickGates(command, invocation.texts("gate"), workflow, terminal);
  return { gates: withReports(command, gates, invocation.texts("report")), policy, writesTests: isTester, covered };
}

function checkOptions(command: Named, invocation: Invocation): void {
  const words = ["gate", "report", "bring"].filter((name) => invocation.texts(name).length > 0);
  const hasWorkflow = invocation.text("workflow") !== undefined;
  if (!invocation.has("run-gates") && words.length > 0)
    throw usage(command, "--gate, --report and --bring need --run-gates.");
  if (invocation.has("run-gates") && invocation.texts("gate").length === 0 && !hasWorkflow)
    throw usage(command, "--run-gates needs gates.", 'For example --gate test="npm test", or --workflow FILE.');
  if (invocation.text("trust") !== undefined && !hasWorkflow)
    throw usage(command, "--trust HASH is about a workflow file.", "Name it with --workflow FILE.");
}

/** The policy of an untrusted file does not count, like its commands: a changed policy could make everything pass. */
async function trustedWorkflow(name: string, given: string | undefined, terminal: Terminal): Promise<TrustedWorkflow> {
  const loaded = loadWorkflow(name);
  const { workflow } = loaded;
  if (workflow === null) {
    const [first] = loaded.diagnostics;
    const hint = `baton check ${name} shows what is wrong. Nothing was verified.`;
    throw new AppError("cannot-read", `${name} cannot be used: ${first?.message ?? "it is not valid"}`, hint);
  }
  const consequence = "neither its policy nor its gates are used, so nothing was verified";
  const { files } = await ensureTrusted(loaded, { given, consequence, always: true }, terminal);
  return { workflow, covered: files };
}

interface TrustedWorkflow {
  readonly workflow: Workflow;
  readonly covered: Measure["covered"];
}

/** All of the workflow, or those that are named; those in the operator's own words come on top. */
function pickGates(
  command: Named,
  words: readonly string[],
  workflow: Workflow | null,
  terminal: Terminal,
): VerifyGate[] {
  const known = workflow === null ? [] : gatesOf(workflow);
  const requiring = workflow === null ? [] : requirementsOf(workflow);
  const own = words.filter((word) => word.includes("=")).map((word) => ownGate(command, word));
  const named = words.filter((word) => !word.includes("="));
  const picked = named.map((word) => knownGate(command, word, known, requiring));
  if (named.length === 0 && requiring.length > 0)
    say(terminal, `Not asked: ${requiring.map(printable).join(", ")}. ${FOR_RUNS}\n`);
  const gates = [...(named.length > 0 ? picked : known), ...own];
  if (gates.length === 0) throw usage(command, "There is no gate to run: the workflow has none that runs a command.");
  return gates;
}

const FOR_RUNS = "A gate that only requires something is asked in a run: it looks at what the run knows.";

function ownGate(command: Named, word: string): VerifyGate {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  if (!/^[\w-]{1,60}$/.test(name)) throw usage(command, `A gate's name has letters, digits and -; found "${name}".`);
  const split = splitWords(word.slice(at + 1));
  if (split.words === null) throw usage(command, `The command of gate ${name} cannot be run: ${split.problem}.`);
  return gateOf(name, split.words, []);
}

function knownGate(
  command: Named,
  name: string,
  known: readonly VerifyGate[],
  requiring: readonly string[],
): VerifyGate {
  const found = known.find((gate) => gate.name === name);
  if (found !== undefined) return found;
  if (requiring.includes(name)) throw usage(command, `Gate ${name} runs nothing.`, FOR_RUNS);
  const hint = known.length === 0 ? 'Write NAME=COMMAND, such as test="npm test".' : `There are ${names(known)}.`;
  throw usage(command, `No gate is called ${name}.`, hint);
}

function withReports(command: Named, gates: readonly VerifyGate[], reports: readonly string[]): VerifyGate[] {
  const added = new Map<VerifyGate, string[]>();
  for (const report of reports) {
    const { gate, path } = ownerOf(command, report, gates);
    added.set(gate, [...(added.get(gate) ?? []), path]);
  }
  return gates.map((gate) => ({ ...gate, reports: [...gate.reports, ...(added.get(gate) ?? [])] }));
}

/** `test=PATH`, or only a path where no other gate could have written it. */
function ownerOf(
  command: Named,
  report: string,
  gates: readonly VerifyGate[],
): { readonly gate: VerifyGate; readonly path: string } {
  const at = report.indexOf("=");
  const named = gates.find((gate) => at > 0 && gate.name === report.slice(0, at));
  if (named !== undefined) return { gate: named, path: report.slice(at + 1) };
  const testing = gates.filter(runsTests);
  const [only, ...others] = testing.length > 0 ? testing : gates;
  if (only !== undefined && others.length === 0) return { gate: only, path: report };
  throw usage(command, `Which gate writes ${report}?`, `Write GATE=PATH, with one of ${names(gates)}.`);
}

function names(gates: readonly VerifyGate[]): string {
  return gates.map(({ name }) => name).join(", ");
}

/** A command that no shell will read: its words, or what keeps it from having any. */
type SplitWords =
  | { readonly words: readonly string[]; readonly problem: null }
  | { readonly words: null; readonly problem: string };

/** As a shell would, without anything that a shell would do: quotes and backslashes are understood, the rest refused. */
export function splitWords(text: string): SplitWords {
  const words: string[] = [];
  let word: string | null = null;
  let rest = text.trim();
  while (rest !== "") {
    const piece = PIECE.exec(rest);
    if (piece === null) return { words: null, problem: problemOf(rest) };
    rest = rest.slice(piece[0].length);
    if (piece[1] === undefined) word = (word ?? "") + meaningOf(piece);
    else {
      if (word !== null) words.push(word);
      word = null;
    }
  }
  if (word === null) return { words: null, problem: "it is empty" };
  return { words: [...words, word], problem: null };
}

/** Space, single quotes, double quotes, a backslash, plain characters. */
const PIECE = /^(?:(\s+)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|([^\s'"\\|&;<>()$`*?[\]{}~!#]+))/s;

function meaningOf([, , single, double, escaped, plain]: RegExpExecArray): string {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
}

function problemOf(rest: string): string {
  const [sign = ""] = rest;
  if (sign === "'" || sign === '"') return `a ${sign} is not closed, or holds what only a shell understands`;
  return `${sign} has a meaning for shells only, and none reads it: put it in quotes, or write sh -c '...'`;
}
