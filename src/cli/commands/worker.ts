import { count } from "../../shared/count.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, wholeNumber } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

const CAPACITY = 4;

export const command: Command = {
  name: "worker",
  summary: "Drive the runs of a store that several processes share",
  usage: "",
  details: [
    "The environment variable BATON_STORE names the store: postgres://USER@HOST/DATABASE. `baton state prepare` makes",
    "its tables. Any number of workers share the runs; when one dies or hangs, another one goes on.",
    "A worker drives only runs that you have started or trusted on this machine. Ctrl-C ends its agents and gives its",
    "runs back: nothing is lost.",
    "All workers of a store work in one repository on one machine: runs cannot move to another one yet.",
  ],
  options: {
    capacity: { value: "N", about: `How many runs it drives at once (default ${CAPACITY}).` },
    json: { about: "Print each line as JSON, {run, text}." },
    quiet: { about: "Print only what goes wrong." },
    ...HELP_OPTION,
  },
  run: worker,
};

async function worker(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "This command takes no arguments.");
  const capacity = wholeNumber(command, invocation, "capacity") ?? CAPACITY;
  if (capacity < 1 || capacity > 1_000) throw usage(command, `--capacity is 1 to 1000; found ${capacity}.`);
  const interruption = terminal.interruption();
  terminal.outliveReaders();
  const engine = await terminal.openEngine();
  try {
    const tell = (text: string, run: string | null): void => {
      if (invocation.has("json")) terminal.out(printJsonLines({ run, text }));
      else say(terminal, `${printable(run === null ? text : `${run}: ${text}`)}\n`);
    };
    const isQuiet = invocation.has("quiet");
    const opened = await terminal.openWorker(engine, { capacity, tell, isQuiet });
    if (!isQuiet)
      tell(`This worker drives up to ${count(capacity, "run")} at once. Ctrl-C stops it; nothing is lost.`, null);
    await new Promise<void>((resolve) => {
      if (interruption.aborted) resolve();
      interruption.addEventListener("abort", () => resolve(), { once: true });
    });
    await opened.stop();
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}
