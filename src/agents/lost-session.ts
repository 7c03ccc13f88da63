import type { AgentJob, AgentReport, AgentSession, AgentUpdate } from "../ports/agent.ts";

/** What people are shown then. */
export const LOST_SESSION = "the session to go on with is lost: a new one begins";

/**
 * Runs a client that ends at once when it does not have the session to go on with any more. A prompt
 * stands by itself, so it then begins a new session instead: in the same attempt and within its time.
 */
export function orNewSession(
  job: AgentJob,
  watch: (update: AgentUpdate) => void,
  lostWords: RegExp,
  start: (job: AgentJob) => AgentSession,
): AgentSession {
  let running = start(job);
  if (job.session === null) return running;
  let isStopped = false;
  return {
    ended: goOn(),
    stop() {
      isStopped = true;
      running.stop();
    },
  };

  async function goOn(): Promise<AgentReport> {
    const first = await running.ended;
    if (first.end !== "crashed" || isStopped || !lostWords.test(first.message)) return first;
    watch({ kind: "line", text: LOST_SESSION });
    const spent = first.usage.milliseconds;
    running = start({ ...job, session: null, timeout: Math.max(1, job.timeout - spent) });
    const second = await running.ended;
    return { ...second, usage: { ...second.usage, milliseconds: spent + second.usage.milliseconds } };
  }
}
