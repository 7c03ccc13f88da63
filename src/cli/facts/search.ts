import { relative, resolve } from "node:path";
import type { Engine } from "../../runtime/engine.ts";
import { type FactItem, listFacts } from "../../runtime/operations/list-facts.ts";
import { sinceBy } from "../../runtime/operations/since-by.ts";
import {
  countFacts,
  FACT_KINDS,
  type FactKind,
  type FactQuery,
  type FactStatus,
  isFactKind,
} from "../../runtime/operations/search-knowledge.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { wholeNumber } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { factRecord, printFound } from "./print-fact.ts";
import { KNOWLEDGE, type Subcommand, wrongUse } from "./subcommand.ts";

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
  const { inUse, hasRetired } = await countFacts(engine.machine);
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
  "Nothing is known yet. Runs learn from the handoffs they accept; `baton knowledge rebuild` learns from the log again.\n";

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
    most: wholeNumber(KNOWLEDGE, invocation, "limit") ?? DEFAULT_LIMIT,
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
export function kindsOf(invocation: Invocation): FactKind[] {
  return invocation.texts("type").map((word) => {
    if (isFactKind(word)) return word;
    const near = nearestWord(word, FACT_KINDS);
    throw wrongUse(
      `--type is one of ${FACT_KINDS.join(", ")}; found "${word}".`,
      near === null ? undefined : `Did you mean --type ${near}?`,
    );
  });
}
