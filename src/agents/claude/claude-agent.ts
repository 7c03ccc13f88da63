import type { Agent } from "../../ports/agent.ts";
import { orNewSession } from "../lost-session.ts";
import { refuseJob } from "../report-end.ts";
import { runClient } from "../run-client.ts";
import { readSession } from "../session-token.ts";
import { hearClaude } from "./hear-claude.ts";
import { invokeClaude } from "./invoke-claude.ts";

const LOST = /No conversation found with session ID/i;

/** Claude Code, headless. */
export const claudeAgent: Agent = {
  kind: "claude",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "claude") return refuseJob(`a ${runner.kind} agent is not Claude Code`);
    return orNewSession(job, watch, LOST, (tried) =>
      runClient(
        tried,
        watch,
        () => invokeClaude(tried, runner),
        (lines) => hearClaude(lines, readSession(tried.session), tried.workspace),
      ),
    );
  },
};
