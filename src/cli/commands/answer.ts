import { ANSWER_CODES, answerRun } from "../answer-run.ts";
import type { Command } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "answer",
  summary: "Answer a question of a run",
  usage: "RUN QUESTION CHOICE [TEXT]",
  details: [
    "baton status RUN shows what is asked, which choices there are, and what each of them does.",
    "Example: baton answer k3x9 q2 answer 'Use PostgreSQL'",
    ANSWER_CODES,
  ],
  options: { ...JSON_DONE_OPTION, ...HELP_OPTION },
  run: async ({ operands: [run, ask, choice, ...words], has }, terminal) => {
    if (run === undefined || ask === undefined || choice === undefined)
      throw usage(command, "Name the run, the question and the choice.");
    const text = words.length === 0 ? null : words.join(" ");
    return answerRun({ run, ask, choice, text, json: has("json") }, terminal);
  },
};
