import { personOf } from "../../runtime/request-source.ts";
import { AppError } from "../../shared/app-error.ts";
import { count } from "../../shared/count.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";
import { moveStore } from "../state-move.ts";
import type { AdoptableLog, Terminal } from "../terminal.ts";

export const command: Command = {
  name: "state",
  summary:
    "Take over a log that was not made here, prepare a store that several processes share, or move to it and back",
  usage: "adopt [SOURCE] | prepare | move --to STORE",
  details: [
    "State lies in the repository's git folder; `baton status --where` tells where. A log is read only by the operator",
    "who made or adopted it.",
    "SOURCE is a state folder or a backup of a log. Without it: the log in the state folder if it is not yours yet, an",
    "older one in .baton, or one that vanished while it was in use and was saved.",
    "Its chain is verified first. Databases that were taken over stay beside the copy as NAME.adopted.",
    "`prepare` makes the tables in the database that BATON_STORE names, or brings them to this version, while workers go",
    "on; see `baton worker`.",
    "`move` takes the state of this repository to that database, or back into files, with everything that can be",
    "verified. Nothing may be driven meanwhile. Counts and hashes of all rows are compared, and both logs are audited.",
    "What is left is a copy that no process writes any more. If it is interrupted, say it again.",
  ],
  options: {
    aside: { about: "Move the present state to a folder beside it first." },
    trust: { value: "ID", about: "Adopt the log with this id although it is not known to be yours." },
    to: { value: "STORE", offered: ["postgres", "sqlite"], about: "Where `move` takes the state." },
    "url-file": { value: "FILE", about: "Read the address of the database from this file instead of BATON_STORE." },
    ...JSON_DONE_OPTION,
    ...HELP_OPTION,
  },
  run: state,
};

async function state(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [word, source, ...more] = invocation.operands;
  if (word === "prepare" && source === undefined) return prepare(terminal);
  if (word === "move" && source === undefined) return moveStore(command, invocation, terminal);
  if (word !== "adopt" || more.length > 0)
    throw usage(command, "Write `adopt`, and at most one folder or file; `prepare`; or `move --to STORE`.");
  personOf(await terminal.requestSource(), "`baton state adopt`");
  const found = await terminal.findAdoptable(source ?? null);
  if (!found.isOwn) await confirm(found, invocation.text("trust"), terminal);
  const adopted = await found.adopt({ aside: invocation.has("aside") });
  const { stateFolder, keptAs, aside } = adopted;
  say(
    terminal,
    `${printable(`${stateFolder} is now the state, with ${count(found.runs, "run")}. Its chain is whole.`)}\n`,
  );
  if (keptAs !== null)
    say(terminal, `${printable(`The old files are kept as ${keptAs}; delete them when you like.`)}\n`);
  if (aside !== null) say(terminal, `${printable(`What was there before is in ${aside}.`)}\n`);
  if (invocation.has("json"))
    terminal.out(
      printJsonLines({ state_folder: stateFolder, log: found.id, runs: found.runs, kept_as: keptAs, aside }),
    );
  return EXIT.fine;
}

async function prepare(terminal: Terminal): Promise<number> {
  personOf(await terminal.requestSource(), "`baton state prepare`");
  if (!(await terminal.prepareStore()))
    throw usage(
      command,
      "BATON_STORE is not set.",
      "Set it to the address of a Postgres database; its tables are made there.",
    );
  say(terminal, "The store is ready. `baton worker` drives its runs.\n");
  return EXIT.fine;
}

const MEANING = [
  "It is not known that you made it. If you adopt it, Baton believes what it says:",
  "its runs and answers are shown as yours, and the facts beside it are told to your agents.",
  "Commands of its runs still need your trust before they run.",
];

async function confirm(found: AdoptableLog, given: string | undefined, terminal: Terminal): Promise<void> {
  const { place, id, runs } = found;
  const name = id ?? "none";
  terminal.note(`${printable(`${place} is a log with ${count(runs, "run")}, id ${name}.`)}\n${MEANING.join("\n")}\n`);
  if (given === name) return;
  const refused = `${place} is not known to be yours: it was not adopted.`;
  if (given !== undefined) throw new AppError("not-trusted", refused, `It has another id than --trust says: ${name}.`);
  if (!terminal.isInteractive())
    throw new AppError("not-trusted", refused, `If you know where it comes from: baton state adopt --trust ${name}`);
  const answer = (await terminal.ask("Do you adopt this log? [yes/no] ")).trim().toLowerCase();
  if (answer !== "yes") throw new AppError("not-trusted", refused, "Nothing was changed.");
}
