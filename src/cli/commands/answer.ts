import { answerAsk } from "../../runtime/operations/answer-ask.ts";
import { isDriven } from "../../runtime/operations/resume-run.ts";
import { personOf } from "../../runtime/request-source.ts";
import { findRun, readState } from "../../runtime/operations/send-input.ts";
import { AppError } from "../../shared/app-error.ts";
import { printJsonLines } from "../../shared/printable.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import type { Terminal } from "../terminal.ts";
import type { Command } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";

const ANSWER_CODES =
  "Exit code: 0 saved, or the same answer was saved before; 2 no open question fits, or it has another answer; 3 an agent asked.";

export const command: Command = {
  name: "answer",
  summary: "Answer a question of a run",
  usage: "RUN QUESTION CHOICE [TEXT]",
  details: [
    "`baton status RUN` shows the open questions, their choices, and what each choice does.",
    "Example: baton answer k3x9 q2 answer 'Use PostgreSQL'",
    ANSWER_CODES,
  ],
  options: { ...JSON_DONE_OPTION, ...HELP_OPTION },
  run: async ({ operands: [run, ask, choice, ...words], has }, terminal) => {
    if (run === undefined || ask === undefined || choice === undefined)
      throw usage(command, "Name the run, the question and the choice.");
    const text = words.length === 0 ? null : words.join(" ");
    return answerRun({ command: "answer", run, ask, choice, text, json: has("json") }, terminal);
  },
};

export const approve = decisionCommand("approve", "yes");
export const reject = decisionCommand("reject", "no");

/** `approve` and `reject`: the choice is the name of the command. */
function decisionCommand(choice: "approve" | "reject", word: "yes" | "no"): Command {
  const decision: Command = {
    name: choice,
    summary: `Say ${word} to the question that a run waits on`,
    usage: "[RUN] [QUESTION]",
    details: [
      "Without arguments: the newest run and its only open question.",
      "`baton status RUN` shows the open questions.",
      ANSWER_CODES,
    ],
    options: {
      note: { value: "TEXT", about: "Why; passed on to the next agent." },
      ...JSON_DONE_OPTION,
      ...HELP_OPTION,
    },
    run: async ({ operands: [run, ask, ...more], text, has }, terminal) => {
      if (more.length > 0)
        throw usage(decision, "Name one run and one question only.", "To add a note: --note 'YOUR WORDS'.");
      const given = { command: choice, run, ask, choice, text: text("note") ?? null, json: has("json") };
      return answerRun(given, terminal);
    },
  };
  return decision;
}

interface Given {
  readonly command: string;
  readonly run: string | undefined;
  /** The only open question that has such a choice when none is named. */
  readonly ask: string | undefined;
  readonly choice: string;
  readonly text: string | null;
  /** What was answered is printed as JSON. */
  readonly json: boolean;
}

/** Stores an answer in the inbox of a run, whether or not a process drives it. */
async function answerRun(given: Given, terminal: Terminal): Promise<number> {
  const by = personOf(await terminal.requestSource(), `\`baton ${given.command}\``);
  const engine = await terminal.openExisting();
  try {
    const { ports } = engine;
    const row = await findRun(ports, given.run);
    const asks = Object.values((await readState(ports, row.run)).asks);
    const fitting = asks.filter(
      (ask) => (given.ask === undefined || ask.id === given.ask) && ask.choices.includes(given.choice),
    );
    const [ask] = fitting;
    if (ask === undefined || fitting.length > 1) throw unfitting(row.run, given, asks, fitting.length);
    const { choice, text } = given;
    const answer = { ask: ask.id, choice, text, by };
    const isNew = await answerAsk(ports, row.run, answer);
    const driven = isDriven(row, ports.clock.now());
    say(
      terminal,
      `Answer saved: ${choice} to ${ask.id} of run ${row.run}${isNew ? "" : " (it was given before)"}.${driven ? "" : ` Continue with \`baton resume ${row.run}\`.`}\n`,
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
    return new AppError("wrong-usage", `Run ${run} has no open question.`, `\`baton status ${run}\` shows its state.`);
  const open = asks.map(({ id, choices }) => `${id} (${choices.join(", ")})`).join("; ");
  const message =
    count > 1 ? `Run ${run} has ${count} open questions that this could answer.` : whyNone(run, given, asks);
  return new AppError("wrong-usage", message, `Open questions: ${open}.`);
}

function whyNone(run: string, { ask, choice }: Given, asks: readonly { id: string }[]): string {
  if (ask === undefined) return `No open question of run ${run} can be answered with "${choice}".`;
  if (asks.every(({ id }) => id !== ask)) return `Run ${run} has no open question ${ask}.`;
  return `${ask} of run ${run} cannot be answered with "${choice}".`;
}
