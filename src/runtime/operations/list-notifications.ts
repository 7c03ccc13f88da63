import type { StoredEntry } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { cutText, visibleLine } from "../../shared/envelope.ts";
import type { Event } from "../../workflow/event.ts";
import { decodeEntry } from "../read-log.ts";
import { STALLED_AFTER } from "./list-runs.ts";
import { askName } from "../../views/event-line.ts";
import type { Notification } from "../../views/inbox.ts";

export { NOTIFICATION_KINDS, type Notification } from "../../views/inbox.ts";

type Message = Pick<Notification, "kind" | "text">;

interface NotificationPage {
  readonly news: readonly Notification[];
  /** All entries up to this position were processed. */
  readonly position: number;
  readonly isLast: boolean;
}

const MAX_TEXT = 2_000;

/** The notifications of the next entries after a position; entries older than `since` give none. */
export async function notificationsAfter(
  ports: Ports,
  after: number,
  limit: number,
  since: number,
): Promise<NotificationPage> {
  const entries = await ports.log.history(after, limit);
  const news: Notification[] = [];
  for (const entry of entries) {
    const message = entry.at < since ? null : messageOf(entry);
    if (message === null) continue;
    const workflow = (await ports.log.run(entry.run))?.name ?? "";
    news.push({ id: `${entry.run}-${entry.position}`, run: entry.run, workflow, at: entry.at, ...message });
  }
  return { news, position: entries.at(-1)?.position ?? after, isLast: entries.length < limit };
}

function messageOf(entry: StoredEntry): Message | null {
  try {
    const { event } = decodeEntry(entry);
    return event === null ? null : messageOfEvent(event);
  } catch (error) {
    // One damaged entry must not silence the runs after it.
    if (error instanceof AppError && error.code === "damaged-state")
      return { kind: "notice", text: cut(error.message) };
    throw error;
  }
}

function messageOfEvent(event: Event): Message | null {
  if (event.kind === "ask-opened")
    return { kind: "ask", text: cut(`${askName(event.ask)}: ${event.ask.title} [${event.ask.choices.join(" | ")}]`) };
  if (event.kind === "agent-notified") return { kind: "notice", text: cut(`${event.agent} is told: ${event.text}`) };
  if (event.kind === "run-completed") return { kind: "end", text: cut(`completed: ${event.reason}`) };
  if (event.kind === "run-failed") return { kind: "end", text: cut(`failed: ${event.reason}`) };
  if (event.kind === "run-cancelled") return { kind: "end", text: cut(`cancelled by ${event.by}: ${event.reason}`) };
  return null;
}

/** Other programs show it as it is: one visible line. */
function cut(text: string): string {
  return cutText(visibleLine(text), MAX_TEXT);
}

const MAX_STALLED = 200;

/** Running runs without an event for long. */
export async function stalledRuns(ports: Ports): Promise<Notification[]> {
  const before = ports.clock.now() - STALLED_AFTER;
  const statusFilters = [{ status: "running", updatedBefore: before }];
  const rows = await ports.log.findRuns({ statusFilters, limit: MAX_STALLED });
  return rows.map(({ run, name: workflow, updatedAt: at }) => ({
    id: `${run}-stalled-${at}`,
    kind: "stall",
    run,
    workflow,
    at,
    text: "nothing has happened for a day",
  }));
}
