import { ForgeError } from "../../ports/forge.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import { writeHandoff } from "../../protocol/write-handoff.ts";
import type { BuiltinName } from "../../workflow/definition.ts";
import {
  BuiltinFailure,
  type BuiltinJob,
  type BuiltinTools,
  type BuiltinHandoff,
  type CheckCommand,
  type CheckResult,
} from "./builtin-job.ts";
import { close } from "./closer.ts";
import { prepare } from "./prep.ts";
import { validate } from "./validator.ts";
import type { CommandEnd, CommandRunner } from "../../ports/command-runner.ts";
import { DEFAULTS } from "../../workflow/file/defaults.ts";
import { sizeOr } from "../../workflow/file/loose-values.ts";
import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { OutputTail } from "../process-group/program-output.ts";
import { startProgram } from "../process-group/start-program.ts";

const WORK: Readonly<Record<BuiltinName, (job: BuiltinJob, tools: BuiltinTools) => Promise<BuiltinHandoff>>> = {
  prep: prepare,
  validator: validate,
  closer: close,
};

/** Does the work of an agent that comes along, and gives its handoff. Throws what trying again may help with. */
export async function workBuiltin(job: BuiltinJob, open: () => Promise<BuiltinTools>): Promise<string> {
  const report = await open()
    .then((tools) => WORK[job.name](job, tools))
    .catch((error: unknown) => failureOf(error, job));
  const at = new Date().toISOString();
  const handoff: Handoff = { ...report, dialect: "issue-xml", from: job.agent, at };
  const agents = [job.agent, ...Object.values(job.agentInput.next)];
  const { text } = writeHandoff(handoff, "issue-xml", { agents });
  const { valid, diagnostics } = readHandoffs(text, { agents });
  if (valid) return text;
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  throw new Error(`the handoff of ${job.name} is wrong, which is a fault of baton: ${errors.join(" ")}`);
}

function failureOf(error: unknown, { agentInput }: BuiltinJob): BuiltinHandoff {
  if (error instanceof ForgeError && error.isPassing) throw error;
  if (!(error instanceof BuiltinFailure) && !(error instanceof ForgeError)) throw error;
  const { message } = error;
  const isOurs = error instanceof BuiltinFailure;
  const number = agentInput.known["issue.number"];
  return {
    to: "orchestrator",
    outcome: "failed",
    status: "failure",
    summary: message.replaceAll(/\s+/g, " ").slice(0, 300),
    ...(number !== undefined && { issue: { number } }),
    error: {
      type: isOurs ? error.kind : "ForgeError",
      message,
      details: "",
      recoverable: false,
      suggested_action: isOurs ? error.advice : "See what the forge says, mend it, and retry the run",
    },
  };
}

const SHOWN = 16_384;
const MAX_OUTPUT = 64 * 1024 * 1024;

/** A command of the workflow on the project as it was: with the operator's home, because installing needs it. */
export async function runPlainly(check: CheckCommand, attempt: string): Promise<CheckResult> {
  const tail = new OutputTail(SHOWN);
  const program = startProgram({
    attempt: `${attempt}.${check.name}`,
    folder: check.directory,
    hasMarker: false,
    command: check.command,
    directory: check.directory,
    environment: { ...cleanEnvironment(), ...check.environment },
    input: "",
    timeout: check.timeout,
    outputLimit: MAX_OUTPUT,
    hasAnswer: false,
    onOutput: (chunk) => tail.add(chunk),
  });
  const stop = (): void => program.stop();
  check.signal?.addEventListener("abort", stop, { once: true });
  const { end, exitCode, signal, problem } = await program.ended;
  check.signal?.removeEventListener("abort", stop);
  if (end !== "exited" && end !== "dismissed")
    return { passed: false, message: problem ?? HOW[end], output: tail.text() };
  const message = exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
  return { passed: exitCode === 0, message, output: tail.text() };
}

/** A command of the workflow on what agents wrote: as gates run. */
export async function runHeld(check: CheckCommand, attempt: string, runner: CommandRunner): Promise<CheckResult> {
  const { end, exitCode, output, sandbox } = await runner.run({
    id: `${attempt}.${check.name}`,
    command: check.command,
    foreign: false,
    directory: check.directory,
    bring: [],
    environment: check.environment ?? {},
    inherit: [],
    network: check.network ?? false,
    timeout: check.timeout,
    outputLimit: MAX_OUTPUT,
    memory: sizeOr(DEFAULTS.gate.memory, 0),
    processes: DEFAULTS.gate.processes,
    disk: sizeOr(DEFAULTS.gate.disk, 0),
    signal: check.signal ?? new AbortController().signal,
  });
  const message = end === "exited" ? (exitCode === null ? "ended by a signal" : `exit code ${exitCode}`) : HOW[end];
  return { passed: end === "exited" && exitCode === 0, message, output, sandbox };
}

const HOW: Readonly<Record<Exclude<CommandEnd, "exited">, string>> = {
  "timed-out": "it took longer than its time",
  flooded: "it printed more than its limit",
  "out-of-memory": "it used more memory than its limit",
  "out-of-disk": "it wrote more than its limit",
  "too-many-processes": "it started more processes than its limit",
  "could-not-start": "it could not be started",
  refused: "it was refused",
  stopped: "it was stopped",
};
