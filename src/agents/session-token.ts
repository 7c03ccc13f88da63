import type { AgentJob, AgentReport, AgentSession, AgentUpdate } from "../ports/agent.ts";

/**
 * A session as it is kept between attempts: the client's own id and what it had used up by then. Clients
 * that count a whole session report both attempts when the second one ends; with the earlier sums at hand,
 * also after a restart of ours, each attempt is charged only for itself.
 */
export interface ClientSession {
  readonly id: string;
  readonly tokens: number;
  readonly money: number;
}

export function writeSession(session: ClientSession): string {
  const spent = new URLSearchParams({ tokens: String(session.tokens), money: String(session.money) });
  return `${session.id}?${spent.toString()}`;
}

/** Also takes a bare id, as a person would give it. Throws when the id could be taken for an option. */
export function readSession(text: string | null): ClientSession | null {
  if (text === null) return null;
  const [id = "", query = ""] = text.split("?");
  if (!/^\w[\w.:-]*$/.test(id)) throw new Error("the session to go on with has no proper name");
  const spent = new URLSearchParams(query);
  return { id, tokens: amountOf(spent.get("tokens")), money: amountOf(spent.get("money")) };
}

/** What this attempt used, given the sum of the session and the sum before; a smaller sum has begun anew. */
export function sinceThen(sum: number | null, before: number): number | null {
  if (sum === null) return null;
  return sum >= before ? sum - before : sum;
}

function amountOf(text: string | null): number {
  const value = Number(text ?? 0);
  return Number.isFinite(value) && value >= 0 ? value : 0;
}

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
  let isPaused = false;
  return {
    ended: goOn(),
    stop() {
      isStopped = true;
      running.stop();
    },
    pause() {
      isPaused = true;
      running.pause?.();
    },
    resume() {
      isPaused = false;
      running.resume?.();
    },
  };

  async function goOn(): Promise<AgentReport> {
    const first = await running.ended;
    if (first.end !== "crashed" || isStopped || !lostWords.test(first.message)) return first;
    watch({ kind: "line", text: LOST_SESSION });
    const spent = first.usage.milliseconds;
    running = start({ ...job, session: null, timeout: Math.max(1, job.timeout - spent) });
    if (isPaused) running.pause?.();
    const second = await running.ended;
    return { ...second, usage: { ...second.usage, milliseconds: spent + second.usage.milliseconds } };
  }
}
