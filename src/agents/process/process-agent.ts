import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, AgentJob } from "../../ports/agent.ts";
import type { Runner } from "../../workflow/definition.ts";
import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { LineSplitter } from "../process-group/line-splitter.ts";
import { OutputTail } from "../process-group/output-tail.ts";
import { NOTHING_TOLD, refuseJob } from "../report-end.ts";
import { runClient } from "../run-client.ts";
import type { Invocation, Listener } from "../run-client.ts";
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
const LONGEST_MESSAGE = 1 << 20;
const LONGEST_LINE = 16_384;

function invoke(job: AgentJob, runner: ProcessRunner): Invocation {
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
    default:
      return runner.prompt satisfies never;
  }
}

function listenToText(lines: WatchedLines): Listener {
  const tail = new OutputTail(LONGEST_MESSAGE);
  const splitter = new LineSplitter((line) => lines.tell(line), LONGEST_LINE);
  return {
    hear(chunk) {
      tail.add(chunk);
      splitter.add(chunk);
    },
    told() {
      splitter.end();
      return { ...NOTHING_TOLD, lastMessage: tail.text() };
    },
  };
}
