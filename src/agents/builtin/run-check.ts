import type { CommandEnd, CommandRunner } from "../../ports/command-runner.ts";
import { DEFAULTS } from "../../workflow/file/defaults.ts";
import { sizeOr } from "../../workflow/file/loose-values.ts";
import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { OutputTail } from "../process-group/output-tail.ts";
import { startProgram } from "../process-group/start-program.ts";
import type { CheckCommand, CheckResult } from "./builtin-job.ts";

const SHOWN = 16_384;
const MOST_OUTPUT = 64 * 1024 * 1024;

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
    outputLimit: MOST_OUTPUT,
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
    outputLimit: MOST_OUTPUT,
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
