import { ANSWER_CODES, answerRun } from "../answer-run.ts";
import type { Command } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "approve",
  summary: "Say yes to what a run waits for",
  usage: "[RUN] [QUESTION]",
  details: [
    "The newest run, and its only open question, when none is named.",
    "baton status RUN shows what is asked.",
    ANSWER_CODES,
  ],
  options: {
    note: { value: "TEXT", about: "Why; the next agent is told." },
    ...JSON_DONE_OPTION,
    ...HELP_OPTION,
  },
  run: async ({ operands: [run, ask, ...more], text, has }, terminal) => {
    if (more.length > 0)
      throw usage(command, "One run and one question at a time.", "Words go with --note 'YOUR WORDS'.");
    return answerRun({ run, ask, choice: "approve", text: text("note") ?? null, json: has("json") }, terminal);
  },
};
