import { isAbsolute } from "node:path";
import type { Agent, AgentJob } from "../../ports/agent.ts";
import type { Runner } from "../../workflow/definition.ts";
import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { refuseJob } from "../report-end.ts";
import { runClient, readBuiltinAnswer } from "../run-client.ts";
import type { ClientInvocation } from "../run-client.ts";

type FunctionRunner = Extract<Runner, { kind: "function" }>;

/** A function of a module, called in a process of its own so that it can be ended like any other agent. */
export const functionAgent: Agent = {
  kind: "function",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "function") return refuseJob(`a ${runner.kind} agent is no function`);
    if (!isAbsolute(runner.module)) return refuseJob(`the module ${runner.module} is no absolute path`);
    return runClient(
      job,
      watch,
      () => invoke(job, runner),
      (lines) => readBuiltinAnswer(lines, "the function"),
    );
  },
};

/**
 * Given as text, because a file of its own would have another place in the bundle than among the sources.
 * The answer goes through file descriptor 3, so that the function may print what it likes.
 */
const CALLER = `
import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
const { module, name, prompt, workspace, attempt } = JSON.parse(await text(process.stdin));
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());
function answer(value) {
  let rest = Buffer.from(JSON.stringify(value));
  while (rest.length > 0) {
    try { rest = rest.subarray(writeSync(3, rest)); }
    catch (error) { if (error.code !== "EAGAIN") throw error; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); }
  }
}
try {
  const called = (await import(pathToFileURL(module).href))[name];
  if (typeof called !== "function") throw new Error("the module exports no function " + name);
  const given = await called({ prompt, workspace, attempt, signal: stopping.signal });
  answer(typeof given === "string" ? { message: given } : (given ?? {}));
  process.exit(0);
} catch (error) {
  console.error(error);
  answer({ problem: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
`;

function invoke(job: AgentJob, runner: FunctionRunner): ClientInvocation {
  const { module, name } = runner;
  const { prompt, workspace, attempt } = job;
  return {
    command: [process.execPath, "--input-type=module", "--eval", CALLER],
    environment: cleanEnvironment(),
    input: JSON.stringify({ module, name, prompt, workspace, attempt }),
    hasAnswer: true,
  };
}
