import { resolve } from "node:path";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "backup",
  summary: "Copy the log with all runs into one file, while runs go on",
  usage: "FILE",
  details: [
    "FILE must not exist. Put it where BATON_STATE points, as baton.db, to use it.",
    "Knowledge is not in it: baton knowledge rebuild learns it from the log again, but for what you have changed by hand;",
    "that is in knowledge.db of the state folder alone.",
  ],
  options: HELP_OPTION,
  run: async ({ operands: [file, ...more] }, terminal) => {
    if (file === undefined || more.length > 0) throw usage(command, "Name one file to write.");
    const engine = await terminal.openEngine();
    try {
      await engine.machine.log.backup(resolve(terminal.directory, file));
      say(terminal, `${file} holds the log with all runs; baton knowledge rebuild learns from it again.\n`);
      return EXIT.fine;
    } finally {
      await engine.close();
    }
  },
};
