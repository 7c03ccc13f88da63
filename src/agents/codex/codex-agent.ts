import type { Agent } from "../../ports/agent.ts";
import { orNewSession } from "../lost-session.ts";
import { refuseJob } from "../report-end.ts";
import { runClient } from "../run-client.ts";
import { readSession } from "../session-token.ts";
import { hearCodex } from "./hear-codex.ts";
import { invokeCodex } from "./invoke-codex.ts";

const LOST = /no rollout found for thread id/i;

/** Codex, headless. */
export const codexAgent: Agent = {
  kind: "codex",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "codex") return refuseJob(`a ${runner.kind} agent is not Codex`);
    return orNewSession(job, watch, LOST, (tried) =>
      runClient(
        tried,
        watch,
        () => invokeCodex(tried, runner),
        (lines) => hearCodex(lines, readSession(tried.session), tried.workspace),
      ),
    );
  },
};
