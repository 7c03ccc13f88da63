import { answerAsk } from "../runtime/operations/answer-ask.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import { findRun, readState } from "../runtime/operations/tell-run.ts";
import { AppError } from "../shared/app-error.ts";
import { printJsonLines } from "../shared/printable.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import type { Terminal } from "./terminal.ts";

/** For the help of whatever answers. */
export const ANSWER_CODES =
  "Exit code: 0 taken, or said before just so, 2 nothing is asked that this answers, or it was answered otherwise.";

export interface Given {
  readonly run: string | undefined;
  /** The only open question that has such a choice when none is named. */
  readonly ask: string | undefined;
  readonly choice: string;
  readonly text: string | null;
  /** What was answered is printed as JSON. */
  readonly json: boolean;
}

/** Puts an answer into the mailbox of a run: durable, whoever drives the run, or nobody. */
export async function answerRun(given: Given, terminal: Terminal): Promise<number> {
  const engine = await terminal.openExisting();
  try {
    const { machine } = engine;
    const row = await findRun(machine, given.run);
    const asks = Object.values((await readState(machine, row.run)).asks);
    const fitting = asks.filter(
      (ask) => (given.ask === undefined || ask.id === given.ask) && ask.choices.includes(given.choice),
    );
    const [ask] = fitting;
    if (ask === undefined || fitting.length > 1) throw unfitting(row.run, given, asks, fitting.length);
    const { choice, text } = given;
    const answer = { ask: ask.id, choice, text, by: terminal.user };
    const isNew = await answerAsk(machine, row.run, answer);
    const driven = isDriven(row, machine.clock.now());
    say(
      terminal,
      `${ask.id} of run ${row.run}: ${choice}${isNew ? "" : ", as was said before"}.\n${driven ? "" : `Nobody drives the run now: baton resume ${row.run} goes on, unless an open baton serve does.\n`}`,
    );
    if (given.json) terminal.out(printJsonLines({ run: row.run, ...answer, new: isNew, driven }));
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

function unfitting(
  run: string,
  given: Given,
  asks: readonly { id: string; choices: readonly string[] }[],
  count: number,
): AppError {
  if (asks.length === 0)
    return new AppError("wrong-usage", `Run ${run} waits for nobody.`, `baton status ${run} shows where it stands.`);
  const open = asks.map(({ id, choices }) => `${id} (${choices.join(", ")})`).join("; ");
  const message =
    count > 1 ? `Run ${run} has ${count} open questions that this could answer.` : whyNone(run, given, asks);
  return new AppError("wrong-usage", message, `Open are: ${open}.`);
}

function whyNone(run: string, { ask, choice }: Given, asks: readonly { id: string }[]): string {
  if (ask === undefined) return `No open question of run ${run} can be answered with "${choice}".`;
  if (asks.every(({ id }) => id !== ask)) return `Run ${run} has no open question ${ask}.`;
  return `${ask} of run ${run} cannot be answered with "${choice}".`;
}
