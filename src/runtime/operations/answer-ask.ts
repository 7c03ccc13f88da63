import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { isLate } from "../../workflow/rules/answer-ask.ts";
import { redactJson } from "../../shared/redact.ts";
import { readRun } from "../read-run.ts";
import { isDriven } from "./resume-run.ts";
import { findRun, sendInput } from "./send-input.ts";
import { readInbox } from "../read-log.ts";

interface PersonAnswer {
  readonly ask: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
  readonly givenAt?: number;
}

/**
 * Posts an answer to one question of a run to its inbox. The first answer counts: the same answer again returns false,
 * and a different one is rejected.
 */
export async function answerAsk(ports: Ports, name: string, given: PersonAnswer): Promise<boolean> {
  const row = await findRun(ports, name);
  const { state, workflow } = await readRun(ports, row);
  const { asks } = state;
  const { ask: id, choice, text } = given;
  const ask = Object.hasOwn(asks, id) ? asks[id] : undefined;
  if (ask === undefined) return saidBefore(ports, row, given);
  if (!ask.choices.includes(choice))
    throw new AppError("wrong-usage", `${id} cannot be answered so.`, `Its choices are: ${ask.choices.join(", ")}.`);
  if (choice === "answer" && (text ?? "").trim() === "")
    throw new AppError("wrong-usage", `${id} asks for an answer in words.`, "Give the words with it.");
  const givenAt = ports.clock.now();
  if (isLate(ask, workflow.asks, givenAt)) throw tooLate(row, id, ask.dueAt ?? 0, workflow.asks.silence);
  return postOnce(ports, row, { ...given, givenAt });
}

/** The question is still open only because no process has noticed that its time is over. */
function tooLate({ run }: RunRow, ask: string, dueAt: number, silence: string): AppError {
  const when = new Date(dueAt).toISOString().replace("T", " ").slice(0, 19);
  const means = `Silence counts as \`${silence}\` in this workflow (asks.silence). Continue with \`baton resume ${run}\`.`;
  return new AppError("conflict", `${ask} of run ${run} could be answered until ${when} UTC; this is too late.`, means);
}

/** The process that drives the run may already have processed the first answer. */
async function saidBefore(ports: Ports, { run }: RunRow, given: PersonAnswer): Promise<false> {
  const first = await takenAnswer(ports, run, given.ask);
  if (first === undefined)
    throw new AppError("no-match", `Run ${run} asks nothing under ${given.ask}.`, "It may have been answered already.");
  if (isTheSame(ports, first, given)) return false;
  throw alreadyAnswered(given.ask, first.choice, "");
}

/**
 * Questions of a run have unique ids, and each has one inbox message: of two concurrent answers the store accepts one.
 */
async function postOnce(ports: Ports, row: RunRow, given: PersonAnswer): Promise<boolean> {
  const { run } = row;
  const { ask } = given;
  const unread = (await unreadAnswers(ports, run)).get(ask);
  if (unread === undefined && (await sendInput(ports, run, { kind: "answer", ...given }, `answer:${ask}`))) return true;
  const waiting = unread ?? (await unreadAnswers(ports, run)).get(ask);
  const first = waiting ?? (await takenAnswer(ports, run, ask));
  if (first !== undefined && isTheSame(ports, first, given)) return false;
  const canResume = waiting !== undefined && !isDriven(row, ports.clock.now());
  throw alreadyAnswered(ask, first?.choice, canResume ? ` (not yet taken in: baton resume ${run})` : "");
}

function isTheSame(ports: Ports, first: UnreadAnswer, { choice, text }: PersonAnswer): boolean {
  // The first answer was stored with secrets masked.
  const mine = redactJson({ choice, text }, ports.redact);
  return first.choice === mine.choice && first.text === mine.text;
}

/** The answer that the run has already processed. */
async function takenAnswer(ports: Ports, run: string, ask: string): Promise<UnreadAnswer | undefined> {
  const { events } = await readRun(ports, await findRun(ports, run));
  return events.flatMap(({ event }) => (event.kind === "ask-answered" && event.ask === ask ? [event] : []))[0];
}

function alreadyAnswered(ask: string, choice: string | undefined, standing: string): AppError {
  const what = choice === undefined ? "" : `: ${choice}`;
  const hint = "The first answer counts; this one was not taken.";
  return new AppError("conflict", `${ask} was already answered${what}${standing}.`, hint);
}

export interface UnreadAnswer {
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
}

/** Answers in the inbox of a run, by question, which the run has not processed yet. The first answer counts. */
export async function unreadAnswers({ log }: Pick<Ports, "log">, run: string): Promise<Map<string, UnreadAnswer>> {
  const found = new Map<string, UnreadAnswer>();
  for (const { message } of await readInbox(log, run)) {
    if (message.kind !== "answer" || found.has(message.ask)) continue;
    const { ask, choice, text, by } = message;
    found.set(ask, { choice, text, by });
  }
  return found;
}
