import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";
import { readRun } from "../read-run.ts";
import { findRun, tellRun } from "./tell-run.ts";

export interface GivenAnswer {
  readonly ask: string;
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
  /** The same one again is taken once. */
  readonly id?: string | undefined;
}

/** Puts an answer to one question of a run into its mailbox. Gives the id of the run. */
export async function answerAsk(machine: Machine, name: string, given: GivenAnswer): Promise<string> {
  const row = await findRun(machine, name);
  const { asks } = (await readRun(machine, row)).state;
  const { ask: id, choice, text, by } = given;
  const ask = Object.hasOwn(asks, id) ? asks[id] : undefined;
  if (ask === undefined)
    throw new AppError("no-match", `Run ${row.run} asks nothing under ${id}.`, "It may have been answered already.");
  if (!ask.choices.includes(choice))
    throw new AppError("wrong-usage", `${id} cannot be answered so.`, `Its choices are: ${ask.choices.join(", ")}.`);
  if (choice === "answer" && (text ?? "").trim() === "")
    throw new AppError("wrong-usage", `${id} asks for an answer in words.`, "Give it as the reason.");
  await tellRun(machine, row.run, { kind: "answer", ask: id, choice, text, by }, given.id);
  return row.run;
}
