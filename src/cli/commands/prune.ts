import type { Engine } from "../../runtime/engine.ts";
import { personOf } from "../../runtime/request-source.ts";
import { count } from "../../shared/count.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "prune",
  summary: "Delete the content of runs that ended long ago",
  usage: "",
  details: [
    "The hashes of what is forgotten stay: the chain of the log can still be checked.",
    "Texts that only these runs named go altogether: what handoffs were read from, packets and last messages.",
    "The file becomes smaller when a quarter of it is free; else the room is used again first.",
    "States of the workspace that were noted for judging claims go too, unless a run is under way.",
  ],
  options: {
    days: { value: "N", about: "Runs that ended more than N days ago (default 90)." },
    ...JSON_DONE_OPTION,
    ...HELP_OPTION,
  },
  run: async ({ operands, text, has }, terminal) => {
    const days = text("days") ?? "90";
    if (operands.length > 0 || !/^\d{1,5}$/.test(days)) throw usage(command, "Give --days N and nothing else.");
    personOf(await terminal.requestSource(), "`baton prune`");
    const engine = await terminal.openEngine();
    try {
      const before = engine.ports.clock.now() - Number(days) * 86_400_000;
      const pruned = await engine.ports.log.prune(before);
      if ((await engine.ports.log.runs({ unfinished: true, limit: 1 })).length === 0)
        await engine.ports.workspace.remove(`${engine.stateFolder}/git`);
      const broken = await engine.ports.log.findBreak();
      say(terminal, `${describePruned(pruned)} ${broken === null ? "The chain is whole." : broken.message}\n`);
      if (has("json")) terminal.out(printJsonLines({ ...pruned, broken: broken?.message ?? null }));
      return broken === null ? EXIT.fine : EXIT.findings;
    } finally {
      await engine.close();
    }
  },
};

type Pruned = Awaited<ReturnType<Engine["ports"]["log"]["prune"]>>;

function describePruned({ runs, entries, texts, freed, unfreed }: Pruned): string {
  const forgotten = `${count(runs, "run")} forgotten (${count(entries, "entry", "entries")}, ${count(texts, "text")}).`;
  if (unfreed !== null) return `${forgotten} The file stays as large as it is, with room in it: ${printable(unfreed)}.`;
  return freed === 0 ? forgotten : `${forgotten} The file is ${(freed / 1_000_000).toFixed(1)} MB smaller.`;
}
