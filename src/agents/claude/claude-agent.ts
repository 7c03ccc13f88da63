import type { Agent } from "../../ports/agent.ts";
import { refuseJob } from "../report-end.ts";
import { runClient } from "../run-client.ts";
import { readSession } from "../session-token.ts";
import { hearClaude } from "./hear-claude.ts";
import { invokeClaude } from "./invoke-claude.ts";

/** Claude Code, headless. */
export const claudeAgent: Agent = {
  kind: "claude",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "claude") return refuseJob(`a ${runner.kind} agent is not Claude Code`);
    return runClient(
      job,
      watch,
      () => invokeClaude(job, runner),
      (lines) => hearClaude(lines, readSession(job.session)),
    );
  },
};
