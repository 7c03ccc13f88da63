import { type Infer, data } from "../protocol/shape.ts";
import { count } from "../shared/count.ts";
import { utcOf } from "../shared/utc-time.ts";
import type { Event } from "../workflow/event.ts";
import type { SessionUsage } from "../workflow/input.ts";

/** What views say of a session of a client: Baton watches it, and neither starts nor ends it. */

/** The status of a session that has not ended. Nothing shows whether its client is still there. */
export const WATCHED = "watched";

/**
 * After this time without a sign a session counts as idle: its client may be gone, or its agent works on. It stays open
 * until the client tells its end or a person closes it.
 */
const IDLE_AFTER = 60 * 60 * 1000;

/** The word for where a run stands, for people: a session ends when its client does, which says nothing of its work. */
export function statusWord(status: string, isObserved: boolean): string {
  return isObserved && status === "completed" ? "ended" : status;
}

/** When the last sign of an open session came, if that is long ago; else null. */
export function idleSince(
  { status, updated_at }: { readonly status: string; readonly updated_at: number },
  now: number,
): number | null {
  return status === WATCHED && now - updated_at >= IDLE_AFTER ? updated_at : null;
}

/** For people, where a session is idle. */
export function describeIdle(since: number): string {
  return `no sign since ${utcOf(since).slice(0, 16).replace("T", " ")} UTC`;
}

export const sessionUsageShape = data.record({
  tokens: data.nullable(data.number()),
  /** In USD. */
  money: data.nullable(data.number()),
  /** All agents of the session, or the main agent alone. */
  covers: data.oneOf(["session", "main"]),
  /** True when not all of it was read: there is more. */
  is_part: data.boolean(),
});
/** What a client says at the end of a session that the session has used. */
export type SessionUsageView = Infer<typeof sessionUsageShape>;

export function sessionUsageView({ isPart, ...usage }: SessionUsage): SessionUsageView {
  return { ...usage, is_part: isPart === true };
}

/** Unknown is printed as unknown, not as zero. */
export function describeSessionUsage({ tokens, money, covers, is_part: isPart }: SessionUsageView): string {
  const least = isPart ? "at least " : "";
  const amounts = [
    tokens === null ? "tokens unknown" : `${least}${count(tokens, "token")}`,
    money === null ? "cost unknown" : `${least}${money.toFixed(2)} USD`,
  ];
  return `${covers === "session" ? "the whole session" : "its main agent"}: ${amounts.join(", ")}`;
}

export const otherAgentShape = data.record({
  id: data.text(),
  /** The type of the agent. */
  agent: data.text(),
  /** Null where its beginning was not heard of. */
  started_at: data.nullable(data.count()),
  /** Null while its end was not heard of. */
  ended_at: data.nullable(data.count()),
  tokens: data.nullable(data.number()),
  /** True when `tokens` is a part of what it used. */
  is_part: data.boolean(),
  /** Files that it has changed by the tools of its client; null where that is not known. */
  files: data.nullable(data.list(data.text())),
});
/** An agent of a session that owes no handoff: nothing of it is checked. */
export type OtherAgent = Infer<typeof otherAgentShape>;

const MAX_OTHERS = 500;

/** The agents of a session that owe no handoff, in the order in which they were first heard of; the last ones. */
export function otherAgents(events: readonly { readonly at: number; readonly event: Event }[]): OtherAgent[] {
  const found = new Map<string, OtherAgent>();
  for (const { at, event } of events) {
    if (event.kind !== "other-agent-seen") continue;
    const { id, agent, has, usage, files } = event;
    const known = found.get(id);
    const begun = has === "started" ? at : (known?.started_at ?? null);
    found.set(id, {
      id,
      agent,
      started_at: begun,
      ended_at: has === "ended" ? at : null,
      tokens: usage?.tokens ?? null,
      is_part: usage?.isPart === true,
      files: files === undefined ? null : [...files],
    });
  }
  return [...found.values()].slice(-MAX_OTHERS);
}
