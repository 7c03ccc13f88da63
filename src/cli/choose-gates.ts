import { type LoadedWorkflow, loadWorkflow } from "../runtime/operations/load-workflow.ts";
import { isTrusted } from "../runtime/operations/trust-workflow.ts";
import { type VerifyPolicy, defaultPolicy, policyOf } from "../runtime/operations/verify-policy.ts";
import { type VerifyGate, gateOf, gatesOf, runsTests } from "../runtime/operations/verify-gates.ts";
import { AppError } from "../shared/app-error.ts";
import { printable } from "../shared/printable.ts";
import type { Command, Invocation } from "./command.ts";
import { ensureTrusted } from "./ensure-trusted.ts";
import { usage } from "./parse-arguments.ts";
import { splitWords } from "./split-words.ts";
import type { Terminal } from "./terminal.ts";

type Named = Pick<Command, "name">;

/** Gates that the operator names, in words of their own or out of a workflow that they trust; none is ever found out. */
export async function chooseGates(command: Named, invocation: Invocation, terminal: Terminal): Promise<VerifyGate[]> {
  const words = invocation.texts("gate");
  const reports = invocation.texts("report");
  const name = invocation.text("workflow");
  if (!invocation.has("run-gates")) {
    if (words.length + reports.length > 0)
      throw usage(command, "--gate and --report say what --run-gates runs, and it is missing.");
    return [];
  }
  if (words.length === 0 && name === undefined)
    throw usage(command, "--run-gates needs gates.", 'For example --gate test="npm test", or --workflow FILE.');
  const known = name === undefined ? [] : await gatesOfWorkflow(name, invocation, terminal);
  return withReports(command, pickGates(command, words, known), reports);
}

async function gatesOfWorkflow(name: string, invocation: Invocation, terminal: Terminal): Promise<VerifyGate[]> {
  const loaded = loadWorkflow(name);
  if (loaded.workflow === null) {
    const [first] = loaded.diagnostics;
    const hint = `baton check ${name} shows what is wrong.`;
    throw new AppError("cannot-read", `${name} cannot be used: ${first?.message ?? "it is not valid"}`, hint);
  }
  await ensureTrusted(loaded, invocation.text("trust"), terminal);
  return gatesOf(loaded.workflow);
}

/** All of the workflow, or those that are named; those in the operator's own words come on top. */
function pickGates(command: Named, words: readonly string[], known: readonly VerifyGate[]): VerifyGate[] {
  const own = words.filter((word) => word.includes("=")).map((word) => ownGate(command, word));
  const picked = words.filter((word) => !word.includes("=")).map((word) => knownGate(command, word, known));
  return [...(picked.length > 0 ? picked : known), ...own];
}

function ownGate(command: Named, word: string): VerifyGate {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  if (!/^[\w-]{1,60}$/.test(name)) throw usage(command, `A gate's name has letters, digits and -; found "${name}".`);
  const split = splitWords(word.slice(at + 1));
  if (split.words === null) throw usage(command, `The command of gate ${name} cannot be run: ${split.problem}.`);
  return gateOf(name, split.words, []);
}

function knownGate(command: Named, name: string, known: readonly VerifyGate[]): VerifyGate {
  const found = known.find((gate) => gate.name === name);
  if (found !== undefined) return found;
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

/** The policy of a workflow counts only when it is trusted: whoever may change it could make everything pass. */
export async function loadPolicy(invocation: Invocation, terminal: Terminal): Promise<VerifyPolicy> {
  const name = invocation.text("workflow");
  if (name === undefined) return defaultPolicy;
  const loaded = loadWorkflow(name);
  if (loaded.workflow !== null && isKnown(loaded, invocation, terminal)) return policyOf(loaded.workflow);
  const why = loaded.workflow === null ? "is not valid" : `is not trusted (baton trust ${name})`;
  terminal.note(`${printable(name)} ${printable(why)}: the default policy is used.\n`);
  return defaultPolicy;
}

function isKnown(loaded: LoadedWorkflow, invocation: Invocation, terminal: Terminal): boolean {
  return isTrusted(loaded, terminal.configFolder) || invocation.text("trust") === loaded.hash;
}
