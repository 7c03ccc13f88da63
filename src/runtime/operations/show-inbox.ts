import { createHash } from "node:crypto";
import type { RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { type AskView, askView } from "../../views/choice-effect.ts";
import type { AskPolicy } from "../../workflow/definition.ts";
import type { Ask } from "../../workflow/state.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { unreadAnswers } from "./unread-answers.ts";

export interface Inbox {
  readonly asks: readonly InboxItem[];
}

export interface InboxItem {
  readonly run: string;
  readonly workflow: string;
  readonly ask: AskView;
  /** Exactly what is approved, to be shown byte by byte; null when it is not about a text. */
  readonly concerns: { readonly what: string; readonly text: string; readonly sha256: string } | null;
  /** What becomes of it at `dueAt` when nobody answers. */
  readonly silence: AskPolicy["silence"];
  /** What was answered and not taken in yet; null while it waits for a person. */
  readonly answered: { readonly choice: string; readonly by: string } | null;
}

/** Runs that wait, or are at work and may ask besides; the youngest of each are looked through. */
const MOST_SHOWN = 200;
const STANDINGS = [{ status: "waiting" }, { status: "running" }];

/** Everything that waits for a person, the longest waiting first. */
export async function showInbox(machine: Machine): Promise<Inbox> {
  const lists = STANDINGS.map((standing) => machine.log.findRuns({ standings: [standing], limit: MOST_SHOWN }));
  const rows = (await Promise.all(lists)).flat();
  const asks: InboxItem[] = [];
  for (const row of rows.filter(hasAsks).slice(0, MOST_SHOWN)) asks.push(...(await asksOf(machine, row)));
  return { asks: asks.sort((left, right) => left.ask.openedAt - right.ask.openedAt) };
}

function hasAsks({ summary }: RunRow): boolean {
  const { asks } = summary;
  return Array.isArray(asks) && asks.length > 0;
}

async function asksOf(machine: Machine, row: RunRow): Promise<InboxItem[]> {
  const read = await readRun(machine, row);
  const { run, name: workflow } = row;
  const { silence } = read.workflow.asks;
  const answers = await unreadAnswers(machine, run);
  const items = Object.values(read.state.asks).map(async (ask) => {
    const concerns = await concernsOf(machine, read, ask);
    const given = answers.get(ask.id);
    const answered = given === undefined ? null : { choice: given.choice, by: given.by };
    return { run, workflow, ask: askView(ask), concerns, silence, answered };
  });
  return Promise.all(items);
}

/** A command is approved as these very bytes; a step by its handoff. */
async function concernsOf({ log }: Machine, read: ReadRun, ask: Ask): Promise<InboxItem["concerns"]> {
  const [command] = ask.details;
  if (ask.kind === "command" && command !== undefined) return textConcern("command", command);
  if (ask.kind !== "after" && ask.kind !== "review") return null;
  const last = Object.hasOwn(read.state.tasks, ask.task) ? (read.state.tasks[ask.task]?.last ?? null) : null;
  const text = last === null || last.text === "" ? null : await log.text(last.text);
  return text === null ? null : textConcern("handoff", text);
}

function textConcern(what: string, text: string): InboxItem["concerns"] {
  return { what, text, sha256: createHash("sha256").update(text).digest("hex") };
}
