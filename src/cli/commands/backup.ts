import { resolve } from "node:path";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "backup",
  summary: "Copy the log of all runs into one file, while runs go on",
  usage: "FILE",
  details: [
    "FILE must not exist. To use it, while nothing runs: baton state adopt FILE --aside.",
    "What was learned is no part of it: baton knowledge rebuild learns it from the log again.",
    "What you have changed of it by hand is in knowledge.db alone: copy that, too, while nothing runs.",
  ],
  options: { ...JSON_DONE_OPTION, ...HELP_OPTION },
  run: async ({ operands: [file, ...more], has }, terminal) => {
    if (file === undefined || more.length > 0) throw usage(command, "Name one file to write.");
    const engine = await terminal.openEngine();
    try {
      const path = resolve(terminal.directory, file);
      await engine.ports.log.backup(path);
      say(terminal, `${file} holds all runs. Knowledge is a file of its own, and not in it.\n`);
      if (has("json")) terminal.out(printJsonLines({ file: path }));
      return EXIT.fine;
    } finally {
      await engine.close();
    }
  },
};
