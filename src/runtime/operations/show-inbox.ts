import { createHash } from "node:crypto";
import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { askView } from "../../views/run-page.ts";
import type { Inbox, InboxItem } from "../../views/inbox.ts";
import { isAnsweredInClient } from "../../workflow/rules/answer-ask.ts";
import type { Ask } from "../../workflow/state.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { unreadAnswers } from "./answer-ask.ts";

/** Maximum number of runs to search for questions, newest first: of those that wait and of those that are running. */
const MAX_SHOWN = 200;
const STANDINGS = [{ status: "waiting" }, { status: "running" }];

/** All questions that wait for a person, the longest waiting first. */
export async function showInbox(ports: Ports): Promise<Inbox> {
  const lists = STANDINGS.map((standing) => ports.log.findRuns({ statusFilters: [standing], limit: MAX_SHOWN }));
  const rows = (await Promise.all(lists)).flat();
  const asks: InboxItem[] = [];
  for (const row of rows.filter(hasAsks).slice(0, MAX_SHOWN)) asks.push(...(await asksOf(ports, row)));
  return { asks: asks.sort((left, right) => left.ask.openedAt - right.ask.openedAt) };
}

function hasAsks({ summary }: RunRow): boolean {
  const { asks } = summary;
  return Array.isArray(asks) && asks.length > 0;
}

async function asksOf(ports: Ports, row: RunRow): Promise<InboxItem[]> {
  const read = await readRun(ports, row);
  const { run, name: workflow } = row;
  const { silence } = read.workflow.asks;
  const answers = await unreadAnswers(ports, run);
  const items = Object.values(read.state.asks).map(async (ask) => {
    const concerns = await concernsOf(ports, read, ask);
    const given = answers.get(ask.id);
    const answered = given === undefined ? null : { choice: given.choice, by: given.by };
    const in_client = isAnsweredInClient(ask, read.workflow);
    return { run, workflow, ask: askView(ask), concerns, silence, in_client, answered };
  });
  return Promise.all(items);
}

/** A command is approved as exact bytes, a step by its handoff. */
async function concernsOf({ log }: Ports, read: ReadRun, ask: Ask): Promise<InboxItem["concerns"]> {
  const [command] = ask.details;
  if (ask.kind === "command" && ask.files === undefined && command !== undefined)
    return textConcern("command", command);
  if (ask.kind !== "after" && ask.kind !== "review") return null;
  const last = Object.hasOwn(read.state.tasks, ask.task) ? (read.state.tasks[ask.task]?.last ?? null) : null;
  const text = last === null || last.text === "" ? null : await log.text(last.text);
  return text === null ? null : textConcern("handoff", text);
}

function textConcern(what: string, text: string): InboxItem["concerns"] {
  return { what, text, sha256: createHash("sha256").update(text).digest("hex") };
}
