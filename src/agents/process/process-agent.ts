import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentJob } from "../../ports/agent.ts";
import type { Runner } from "../../workflow/definition.ts";
import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { LineSplitter, OutputTail } from "../process-group/program-output.ts";
import { EMPTY_CLIENT_REPORT, refuseJob } from "../report-end.ts";
import { runClient } from "../run-client.ts";
import type { ClientInvocation, Listener } from "../run-client.ts";
import type { WatchedLines } from "../watched-lines.ts";

type ProcessRunner = Extract<Runner, { kind: "process" }>;

/** Any command: it is given the prompt, and what it prints is its message. */
export const processAgent: Agent = {
  kind: "process",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "process") return refuseJob(`a ${runner.kind} agent is no command`);
    return runClient(
      job,
      watch,
      () => invoke(job, runner),
      (lines) => listenToText(lines),
    );
  },
};

/** Longer messages than this are no handoff that anybody reads; the end is what counts. */
const MAX_MESSAGE = 1 << 20;
const MAX_LINE = 16_384;

function invoke(job: AgentJob, runner: ProcessRunner): ClientInvocation {
  const environment = { ...cleanEnvironment(runner.inherit), ...runner.environment };
  switch (runner.prompt) {
    case "stdin":
      return { command: runner.command, environment, input: job.prompt };
    case "argument":
      return { command: [...runner.command, job.prompt], environment, input: "" };
    case "file": {
      const file = join(job.scratch, "prompt.md");
      writeFileSync(file, job.prompt);
      return { command: runner.command, environment: { ...environment, BATON_PROMPT_FILE: file }, input: "" };
    }
  }
}

function listenToText(lines: WatchedLines): Listener {
  const tail = new OutputTail(MAX_MESSAGE);
  const splitter = new LineSplitter((line) => lines.tell(line), MAX_LINE);
  return {
    hear(chunk) {
      tail.add(chunk);
      splitter.add(chunk);
    },
    report() {
      splitter.end();
      return { ...EMPTY_CLIENT_REPORT, lastMessage: tail.text() };
    },
  };
}
