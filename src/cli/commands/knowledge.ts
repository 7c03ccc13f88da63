import { GRAPH_FORMATS } from "../../runtime/operations/draw-knowledge.ts";
import { FACT_KINDS, FACT_STATUSES } from "../../runtime/operations/search-knowledge.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import type { Command, Invocation } from "../command.ts";
import { CHANGES } from "../facts/change.ts";
import { EXCHANGES } from "../facts/exchange.ts";
import { search, show, tasksSubcommand, graph } from "../facts/search.ts";
import { type Subcommand, wrongUse } from "../facts/print-fact.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

const SUBCOMMANDS: readonly Subcommand[] = [search, show, tasksSubcommand, graph, ...CHANGES, ...EXCHANGES];
const NAMES = SUBCOMMANDS.map(({ name }) => name);

export const command: Command = {
  name: "knowledge",
  summary: "Search, show and correct the facts learned from handoffs",
  usage: `${NAMES.join("|")} ...`,
  details: [
    ...SUBCOMMANDS.map((each) => `  ${`${each.name} ${each.usage}`.trimEnd().padEnd(20)} ${each.about}`),
    "",
    "Quarantined facts are not proven: they are kept and shown, and not passed on to agents.",
    "All tasks that found patterns about auth: baton knowledge tasks --type pattern --tag auth",
  ],
  options: {
    tag: { value: "TAG", about: "search, tasks, edit: this tag; may be given several times." },
    type: { value: "KIND", about: `search, tasks: ${FACT_KINDS.join(", ")}.` },
    file: { value: "PATH", about: "search: facts that name this file." },
    task: { value: "ID", about: "search: facts that this task said." },
    run: { value: "RUN", about: "search, tasks: of this run." },
    status: {
      value: "STATUS",
      choices: FACT_STATUSES,
      about: "search, export: trusted, quarantined or retired; may be given several times.",
    },
    since: { value: "AGE", about: "search: learned since then: 12h, 7d." },
    limit: { value: "N", about: "search, tasks, graph: at most so many." },
    depth: { value: "N", about: "graph: so many steps away (default 1)." },
    format: { value: "FORMAT", choices: GRAPH_FORMATS, about: `graph: ${GRAPH_FORMATS.join(", ")}.` },
    why: { value: "TEXT", about: "promote, confirm, retire, merge, edit: kept in the history." },
    into: { value: "ID", about: "merge: the fact that it goes on as." },
    text: { value: "TEXT", about: "edit: what the fact says." },
    detail: { value: "TEXT", about: "edit: what to do about it." },
    severity: { value: "WORD", about: "edit: critical, high, medium, low, or none." },
    json: { about: "Print JSON." },
    ...HELP_OPTION,
  },
  subcommands: NAMES,
  run: knowledge,
};

async function knowledge(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [name, ...operands] = invocation.operands;
  const wanted = findSubcommand(name);
  const stray = Object.keys(command.options).find((each) => invocation.has(each) && !wanted.options.includes(each));
  if (stray !== undefined)
    throw wrongUse(
      `baton knowledge ${wanted.name} takes no --${stray}.`,
      `It takes ${wanted.options.map((each) => `--${each}`).join(", ")}.`,
    );
  const engine = await (wanted.makesState === true ? terminal.openEngine() : terminal.openExisting());
  try {
    return await wanted.run({ ...invocation, operands }, engine, terminal);
  } finally {
    await engine.close();
  }
}

function findSubcommand(name: string | undefined): Subcommand {
  if (name === undefined) throw wrongUse(`Say what to do: ${NAMES.join(", ")}.`);
  const found = SUBCOMMANDS.find((each) => each.name === name);
  if (found !== undefined) return found;
  const near = nearestWord(name, NAMES);
  throw wrongUse(
    `There is no baton knowledge ${name}.`,
    near === null ? `It is one of ${NAMES.join(", ")}.` : `Did you mean \`baton knowledge ${near}\`?`,
  );
}
