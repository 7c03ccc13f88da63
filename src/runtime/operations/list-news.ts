import type { StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { Event } from "../../workflow/event.ts";
import { STALLED_AFTER } from "./list-runs.ts";
import { askName } from "../../views/ask-name.ts";

/** What somebody who is not looking wants to be told. */
export interface News {
  /** The same for the same news, however often it is sent. */
  readonly id: string;
  readonly kind: NewsKind;
  readonly run: string;
  readonly workflow: string;
  readonly at: number;
  readonly text: string;
}

export const NEWS_KINDS = ["ask", "stall", "end", "notice"] as const;
export type NewsKind = (typeof NEWS_KINDS)[number];

export interface NewsPage {
  readonly news: readonly News[];
  /** Everything up to here was looked at. */
  readonly position: number;
  readonly isLast: boolean;
}

const LONGEST_TEXT = 2_000;

/** Out of the next entries of the log after a position; what is older than `since` is old news. */
export async function newsAfter(machine: Machine, after: number, limit: number, since: number): Promise<NewsPage> {
  const entries = await machine.log.history(after, limit);
  const news: News[] = [];
  for (const entry of entries) {
    const told = entry.at < since ? null : toldBy(entry);
    if (told === null) continue;
    const workflow = (await machine.log.run(entry.run))?.name ?? "";
    news.push({ id: `${entry.run}-${entry.position}`, run: entry.run, workflow, at: entry.at, ...told });
  }
  return { news, position: entries.at(-1)?.position ?? after, isLast: entries.length < limit };
}

function toldBy({ kind, data }: StoredEntry): Pick<News, "kind" | "text"> | null {
  if (kind === "input" || data === null) return null;
  const event = data as unknown as Event;
  switch (event.kind) {
    case "ask-opened":
      return { kind: "ask", text: cut(`${askName(event.ask)}: ${event.ask.title} [${event.ask.choices.join(" | ")}]`) };
    case "agent-notified":
      return { kind: "notice", text: cut(`${event.agent} is told: ${event.text}`) };
    case "run-completed":
      return { kind: "end", text: cut(`completed: ${event.reason}`) };
    case "run-failed":
      return { kind: "end", text: cut(`failed: ${event.reason}`) };
    case "run-cancelled":
      return { kind: "end", text: cut(`cancelled by ${event.by}: ${event.reason}`) };
    default:
      return null;
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

const MOST_STALLED = 200;

/** Runs that should be at work and in which nothing happened for long. */
export async function stalledRuns(machine: Machine): Promise<News[]> {
  const before = machine.clock.now() - STALLED_AFTER;
  const standings = [{ status: "running", updatedBefore: before }];
  const rows = await machine.log.findRuns({ standings, limit: MOST_STALLED });
  return rows.map(({ run, name: workflow, updatedAt: at }) => ({
    id: `${run}-stalled-${at}`,
    kind: "stall",
    run,
    workflow,
    at,
    text: "nothing has happened for a day",
  }));
}
