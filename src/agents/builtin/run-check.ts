import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { OutputTail } from "../process-group/output-tail.ts";
import { startProgram } from "../process-group/start-program.ts";
import type { CheckCommand, CheckResult } from "./builtin-job.ts";

const SHOWN = 16_384;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** A command of the workflow: a group and a clean environment of its own, limits, no survivors. */
export async function runCheck(check: CheckCommand, attempt: string): Promise<CheckResult> {
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

const HOW = {
  "timed-out": "it took longer than its time",
  flooded: "it printed more than its limit",
  "could-not-start": "it could not be started",
  stopped: "it was stopped",
} as const;
