import { ANSWER_CODES, answerRun } from "../answer-run.ts";
import type { Command } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "answer",
  summary: "Answer a question of a run",
  usage: "RUN QUESTION CHOICE [TEXT]",
  details: [
    "baton status RUN shows what is asked, which choices there are, and what each of them does.",
    "Example: baton answer k3x9 q2 answer 'Use PostgreSQL'",
    ANSWER_CODES,
  ],
  options: HELP_OPTION,
  run: async ({ operands: [run, ask, choice, ...words] }, terminal) => {
    if (run === undefined || ask === undefined || choice === undefined)
      throw usage(command, "Name the run, the question and the choice.");
    return answerRun({ run, ask, choice, text: words.length === 0 ? null : words.join(" ") }, terminal);
  },
};
