import { count } from "../../shared/count.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "prune",
  summary: "Forget the content of runs that ended long ago",
  usage: "",
  details: [
    "The hashes of what is forgotten stay: the chain of the log can still be checked.",
    "Texts that handoffs were read from, packets and last messages are kept by their hash and stay, too.",
    "States of the workspace that were noted for judging claims go too, unless a run is under way.",
  ],
  options: { days: { value: "N", about: "Runs that ended more than N days ago (default 90)." }, ...HELP_OPTION },
  run: async ({ operands, text }, terminal) => {
    const days = text("days") ?? "90";
    if (operands.length > 0 || !/^\d{1,5}$/.test(days)) throw usage(command, "Say --days N and nothing else.");
    const engine = await terminal.openEngine();
    try {
      const before = engine.machine.clock.now() - Number(days) * 86_400_000;
      const { runs, entries } = await engine.machine.log.prune(before);
      if ((await engine.machine.log.runs({ unfinished: true, limit: 1 })).length === 0)
        await engine.machine.workspace.remove(`${engine.stateFolder}/git`);
      const broken = await engine.machine.log.findBreak();
      say(
        terminal,
        `${count(runs, "run")} forgotten (${count(entries, "entry", "entries")}). ${broken === null ? "The chain is whole." : broken.message}\n`,
      );
      return broken === null ? EXIT.fine : EXIT.findings;
    } finally {
      await engine.close();
    }
  },
};
