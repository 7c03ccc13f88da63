import { relative, resolve } from "node:path";
import type { Engine } from "../../runtime/engine.ts";
import { sinceBy } from "../../runtime/operations/since-by.ts";
import {
  countFacts,
  FACT_KINDS,
  type FactKind,
  type FactQuery,
  type FactStatus,
  isFactKind,
  type KnownTask,
  listKnownTasks,
} from "../../runtime/operations/search-knowledge.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { wholeNumber } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import {
  factRecord,
  printFound,
  printShown,
  KNOWLEDGE,
  type Subcommand,
  wrongUse,
  oneFact,
  printFactTime,
} from "./print-fact.ts";
import { showFact, type FactItem, listFacts } from "../../runtime/operations/show-fact.ts";
import { drawKnowledge, type GraphFormat } from "../../runtime/operations/draw-knowledge.ts";

export const search: Subcommand = {
  name: "search",
  usage: "[WORDS...]",
  about: "Facts with these words, the nearest first; without words, of the newest.",
  options: ["tag", "type", "file", "task", "run", "status", "since", "limit", "json"],
  async run(invocation, engine, terminal) {
    const found = await listFacts(engine, queryOf(invocation, engine, terminal));
    if (invocation.has("json")) terminal.out(printJsonLines({ facts: found.map(foundRecord) }));
    else if (found.length > 0) display(terminal, found.map((item) => printFound(item, terminal.colour.out)).join(""));
    else say(terminal, await printNothing(invocation, engine));
    return EXIT.fine;
  },
};

function foundRecord({ fact, standing, score }: FactItem): object {
  return { ...factRecord(fact), standing, score };
}

const FILTERS = ["tag", "type", "file", "task", "run", "status", "since"] as const;

/** Why nothing was found: nothing is there, or nothing of what is there was asked for. */
async function printNothing(invocation: Invocation, engine: Engine): Promise<string> {
  const { inUse, hasRetired } = await countFacts(engine.ports);
  const others = hasRetired ? "; what was retired is found with --status retired" : "";
  if (inUse === 0 && !hasRetired) return NOTHING;
  const known = `${inUse === 1 ? "1 fact is" : `${inUse} facts are`} known${others}.`;
  const filters = FILTERS.filter((name) => invocation.has(name)).map((name) => describeFilter(name, invocation));
  if (filters.length === 0) return `No fact has these words. ${known}\n`;
  const words = invocation.operands.join(" ").trim() === "" ? "" : "has these words and ";
  return `No fact ${words}fits ${printable(filters.join(" "))}. ${known}\n`;
}

function describeFilter(name: string, invocation: Invocation): string {
  return invocation
    .texts(name)
    .map((value) => `--${name} ${value}`)
    .join(" ");
}

const NOTHING =
  "There are no facts yet. Runs learn from the handoffs they accept; `baton knowledge rebuild` learns from the log again.\n";

const DEFAULT_LIMIT = 20;

function queryOf(invocation: Invocation, engine: Engine, terminal: Terminal): FactQuery {
  const text = invocation.operands.join(" ");
  const file = invocation.text("file");
  const [task, run] = [invocation.text("task"), invocation.text("run")];
  const since = sinceOf(invocation);
  const kinds = kindsOf(invocation);
  return {
    ...(text.trim() === "" ? {} : { text }),
    tags: invocation.texts("tag"),
    ...(kinds.length === 0 ? {} : { kinds }),
    status: invocation.texts("status") as readonly FactStatus[],
    ...(file === undefined ? {} : { file: relative(engine.root, resolve(terminal.directory, file)) }),
    ...(task === undefined ? {} : { task }),
    ...(run === undefined ? {} : { run }),
    ...(since === undefined ? {} : { since }),
    max: wholeNumber(KNOWLEDGE, invocation, "limit") ?? DEFAULT_LIMIT,
  };
}

function sinceOf(invocation: Invocation): number | undefined {
  const age = invocation.text("since");
  if (age === undefined) return undefined;
  const since = sinceBy(age, Date.now());
  if (since === null) throw wrongUse(`--since takes an age such as 12h or 7d; found "${age}".`);
  return since;
}

/** `--type gotcha`, as often as wanted. */
function kindsOf(invocation: Invocation): FactKind[] {
  return invocation.texts("type").map((word) => {
    if (isFactKind(word)) return word;
    const near = nearestWord(word, FACT_KINDS);
    throw wrongUse(
      `--type is one of ${FACT_KINDS.join(", ")}; found "${word}".`,
      near === null ? undefined : `Did you mean --type ${near}?`,
    );
  });
}

export const show: Subcommand = {
  name: "show",
  usage: "ID",
  about: "One fact: whether what it cites still stands, who said it, what opposes it, its history.",
  options: ["json"],
  async run(invocation, engine, terminal) {
    const shown = await showFact(engine, oneFact(invocation, "show"));
    const { fact, freshness, standing, opposes, history } = shown;
    if (invocation.has("json"))
      terminal.out(printJsonLines({ fact: factRecord(fact), freshness, standing, opposes, history }));
    else display(terminal, printShown(shown, terminal.colour.out));
    return EXIT.fine;
  },
};

const TASK_LIMIT = 50;

export const tasksSubcommand: Subcommand = {
  name: "tasks",
  usage: "",
  about: "Tasks that said a fact of this --type, or with this --tag; the newest first.",
  options: ["tag", "type", "run", "limit", "json"],
  async run(invocation, engine, terminal) {
    const [kinds, tags] = [kindsOf(invocation), invocation.texts("tag")];
    if (kinds.length > 1 || tags.length > 1) throw wrongUse("baton knowledge tasks takes one --type and one --tag.");
    const run = invocation.text("run");
    const found = await listKnownTasks(engine.ports, {
      ...(tags[0] === undefined ? {} : { tag: tags[0] }),
      ...(kinds[0] === undefined ? {} : { kind: kinds[0] }),
      ...(run === undefined ? {} : { run }),
      max: wholeNumber(KNOWLEDGE, invocation, "limit") ?? TASK_LIMIT,
    });
    if (invocation.has("json")) terminal.out(printJsonLines({ tasks: found.map(taskRecord) }));
    else if (found.length === 0) say(terminal, "No task found. `baton knowledge search` finds facts.\n");
    else display(terminal, found.map(printTask).join(""));
    return EXIT.fine;
  },
};

function taskRecord({ run, id, name, status, dependsOn, at }: KnownTask): object {
  return { run, id, name, status, depends_on: dependsOn, at };
}

function printTask({ run, id, name, status, at }: KnownTask): string {
  return `${printable(`${id}  ${status}  ${printFactTime(at)}  ${name}  (run ${run})`)}\n`;
}

const GRAPH_LIMIT = 200;

export const graph: Subcommand = {
  name: "graph",
  usage: "[NODE]",
  about: "What stands around a fact, task, run, agent, file or tag; around the newest run when none is named.",
  options: ["depth", "format", "limit", "json"],
  async run(invocation, engine, terminal) {
    const [node, ...more] = invocation.operands;
    if (more.length > 0) throw wrongUse("One node at a time.");
    const format = (invocation.has("json") ? "json" : (invocation.text("format") ?? "mermaid")) as GraphFormat;
    const max = wholeNumber(KNOWLEDGE, invocation, "limit") ?? GRAPH_LIMIT;
    const depth = wholeNumber(KNOWLEDGE, invocation, "depth") ?? null;
    const drawn = await drawKnowledge(engine.ports, { node: node ?? null, depth, max, format });
    if (drawn.nodes > 0 || format === "json") terminal.out(drawn.text);
    if (drawn.nodes === 0) say(terminal, "There are no facts yet. Runs learn from the handoffs they accept.\n");
    if (drawn.isCut) say(terminal, `Only ${drawn.nodes} nodes are shown; --limit takes more.\n`);
    return EXIT.fine;
  },
};
