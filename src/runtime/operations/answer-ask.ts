import type { RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";
import { redactJson } from "../../shared/redact.ts";
import { readRun } from "../read-run.ts";
import { isDriven } from "./resume-run.ts";
import { findRun, tellRun } from "./tell-run.ts";
import { type Said, unreadAnswers } from "./unread-answers.ts";

export interface GivenAnswer {
  readonly ask: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
}

/**
 * Puts an answer to one question of a run into its mailbox. The same one again changes nothing; another one is
 * refused. False when it was the same.
 */
export async function answerAsk(machine: Machine, name: string, given: GivenAnswer): Promise<boolean> {
  const row = await findRun(machine, name);
  const { asks } = (await readRun(machine, row)).state;
  const { ask: id, choice, text } = given;
  const ask = Object.hasOwn(asks, id) ? asks[id] : undefined;
  if (ask === undefined) return saidBefore(machine, row, given);
  if (!ask.choices.includes(choice))
    throw new AppError("wrong-usage", `${id} cannot be answered so.`, `Its choices are: ${ask.choices.join(", ")}.`);
  if (choice === "answer" && (text ?? "").trim() === "")
    throw new AppError("wrong-usage", `${id} asks for an answer in words.`, "Give the words with it.");
  return postOnce(machine, row, given);
}

/** Whoever drives the run may have taken the first answer in a moment after it was given. */
async function saidBefore(machine: Machine, { run }: RunRow, given: GivenAnswer): Promise<false> {
  const first = await takenAnswer(machine, run, given.ask);
  if (first === undefined)
    throw new AppError("no-match", `Run ${run} asks nothing under ${given.ask}.`, "It may have been answered already.");
  if (isTheSame(machine, first, given)) return false;
  throw alreadyAnswered(given.ask, first.choice, "");
}

/** Questions of a run never share an id: one letter for each, and of two who answer at once the store takes one. */
async function postOnce(machine: Machine, row: RunRow, given: GivenAnswer): Promise<boolean> {
  const { run } = row;
  const { ask, choice, text, by } = given;
  const unread = (await unreadAnswers(machine, run)).get(ask);
  if (unread === undefined && (await tellRun(machine, run, { kind: "answer", ask, choice, text, by }, `answer:${ask}`)))
    return true;
  const waiting = unread ?? (await unreadAnswers(machine, run)).get(ask);
  const first = waiting ?? (await takenAnswer(machine, run, ask));
  if (first !== undefined && isTheSame(machine, first, given)) return false;
  const canResume = waiting !== undefined && !isDriven(row, machine.clock.now());
  throw alreadyAnswered(ask, first?.choice, canResume ? ` (not yet taken in: baton resume ${run})` : "");
}

function isTheSame(machine: Machine, first: Said, { choice, text }: GivenAnswer): boolean {
  // It was stored without secrets.
  const mine = redactJson({ choice, text }, machine.redact);
  return first.choice === mine.choice && first.text === mine.text;
}

/** Whoever drives the run was faster. */
async function takenAnswer(machine: Machine, run: string, ask: string): Promise<Said | undefined> {
  const { events } = await readRun(machine, await findRun(machine, run));
  return events.flatMap(({ event }) => (event.kind === "ask-answered" && event.ask === ask ? [event] : []))[0];
}

function alreadyAnswered(ask: string, choice: string | undefined, standing: string): AppError {
  const what = choice === undefined ? "" : `: ${choice}`;
  const hint = "The first answer counts; this one was not taken.";
  return new AppError("conflict", `${ask} was already answered${what}${standing}.`, hint);
}
