import type { CommandResult, CommandRunner, GateCommand } from "../ports/command-runner.ts";
import { cleanEnvironment } from "./process-group/clean-environment.ts";
import { OutputTail } from "./process-group/output-tail.ts";
import { startProgram } from "./process-group/start-program.ts";

/** How much of the end of its output a gate shows. */
const SHOWN = 64 * 1024;

/** Gates run as agents do: a group of their own, a clean environment, limits, and no survivors. */
export const commandRunner: CommandRunner = {
  async run(gate) {
    if (gate.signal.aborted) return { end: "stopped", exitCode: null, output: "", milliseconds: 0 };
    return await runGate(gate);
  },
};

async function runGate(gate: GateCommand): Promise<CommandResult> {
  const tail = new OutputTail(Math.min(SHOWN, gate.outputLimit));
  const program = startProgram({
    attempt: gate.id,
    folder: gate.directory,
    // The directory is somebody's work: the marks in the environment have to do.
    hasMarker: false,
    command: gate.command,
    directory: gate.directory,
    environment: cleanEnvironment(),
    input: "",
    timeout: gate.timeout,
    outputLimit: gate.outputLimit,
    hasAnswer: false,
    onOutput: (chunk) => tail.add(chunk),
  });
  const stop = (): void => program.stop();
  gate.signal.addEventListener("abort", stop, { once: true });
  const ended = await program.ended;
  gate.signal.removeEventListener("abort", stop);
  return {
    end: ended.end === "dismissed" ? "exited" : ended.end,
    exitCode: ended.exitCode,
    output: ended.problem ?? tail.text(),
    milliseconds: Math.round(ended.milliseconds),
  };
}
