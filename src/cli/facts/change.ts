import type { Engine } from "../../runtime/engine.ts";
import {
  confirmFact,
  editFact,
  type FactEdit,
  type FactPair,
  judgeFact,
  mergeFact,
  type Person,
  SEVERITIES,
} from "../../runtime/operations/change-fact.ts";
import type { Fact } from "../../runtime/operations/search-knowledge.ts";
import type { Freshness } from "../../runtime/operations/show-fact.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import type { Terminal } from "../terminal.ts";
import { differenceRecord, differencesIn, type FactDifference, mergedInto, printDifferences } from "./print-change.ts";
import { describeFreshness, factRecord } from "./print-fact.ts";
import { oneFact, type Subcommand, wrongUse } from "./subcommand.ts";

const promote = change("promote", "ID", "Let a quarantined fact be passed on.", [], async (id, person, engine) =>
  tellOf(await judgeFact(engine, id, "promote", person)),
);

const confirm = change(
  "confirm",
  "ID",
  "You have looked: it is true today. What it cites is taken as it stands now.",
  [],
  async (id, person, engine) => {
    const { found, ...pair } = await confirmFact(engine, id, person);
    const told = { ...tellOf(pair), found };
    if (found === null || found.is === "unchanged") return told;
    const now = pair.after.citation === null ? "cites nothing any more" : "cites what stands there now";
    return { ...told, note: `What it cited is ${describeFreshness(found).split(":")[0] ?? ""}; it ${now}.` };
  },
);

const retire = change(
  "retire",
  "ID",
  "It is not true any more: it is never passed on again.",
  [],
  async (id, person, engine) => tellOf(await judgeFact(engine, id, "retire", person)),
);

const merge = change(
  "merge",
  "ID --into ID",
  "Two facts are one: all witnesses of the first go to the second.",
  ["into"],
  async (id, person, engine, invocation) => {
    const into = invocation.text("into");
    if (into === undefined) throw wrongUse("Name the fact that it goes on as: --into ID.");
    const facts = await mergeFact(engine, id, into, person);
    const gone = [...differencesIn(facts.merged), mergedInto(id, into)];
    const goesOn = tellOf(facts.into);
    return { ...goesOn, told: [[facts.merged.after, gone], ...goesOn.told] };
  },
);

const edit = change(
  "edit",
  "ID",
  "Change --text, --detail, --severity or --tag. No handoff changes it afterwards.",
  ["text", "detail", "severity", "tag"],
  async (id, person, engine, invocation) => {
    const fields = fieldsOf(invocation);
    if (Object.keys(fields).length === 0) throw wrongUse("Say what to change: --text, --detail, --severity or --tag.");
    return tellOf(await editFact(engine, id, fields, person));
  },
);

export const CHANGES: readonly Subcommand[] = [promote, confirm, retire, merge, edit];

/** What there is to be told of a change. */
interface Told {
  /** As it is now; of a merge, what goes on. */
  readonly fact: Fact;
  /** Every fact that was concerned, with what is different about it. */
  readonly told: readonly (readonly [fact: Fact, changes: readonly FactDifference[]])[];
  /** What had become of what it cites; only a confirmation looks. */
  readonly found?: Freshness | null;
  readonly note?: string;
}

function tellOf(pair: FactPair): Told {
  return { fact: pair.after, told: [[pair.after, differencesIn(pair)]] };
}

type Changing = (id: string, person: Person, engine: Engine, invocation: Invocation) => Promise<Told>;

function change(name: string, usage: string, about: string, options: readonly string[], work: Changing): Subcommand {
  return {
    name,
    usage,
    about,
    options: [...options, "why", "json"],
    async run(invocation, engine, terminal) {
      const id = oneFact(invocation, name);
      tell(await work(id, personOf(invocation, terminal), engine, invocation), invocation, terminal);
      return EXIT.fine;
    },
  };
}

function personOf(invocation: Invocation, { user }: Terminal): Person {
  return { by: user, why: invocation.text("why") ?? null };
}

function tell({ fact, told, found, note }: Told, invocation: Invocation, terminal: Terminal): void {
  if (invocation.has("json")) {
    const changes = told.flatMap(([, each]) => each).map(differenceRecord);
    terminal.out(printJsonLines({ fact: factRecord(fact), changes, ...(found !== undefined && { found }) }));
    return;
  }
  for (const [each, changes] of told) say(terminal, printDifferences(each, changes));
  if (note !== undefined) say(terminal, `${printable(note)}\n`);
}

/** `--severity none` and `--detail ""` take them away. */
function fieldsOf(invocation: Invocation): FactEdit {
  const [text, detail, word] = [invocation.text("text"), invocation.text("detail"), invocation.text("severity")];
  const severity = SEVERITIES.find((each) => each === word) ?? null;
  if (word !== undefined && word !== "none" && severity === null)
    throw wrongUse(`--severity is one of ${SEVERITIES.join(", ")}, none; found "${word}".`);
  return {
    ...(text !== undefined && { text }),
    ...(detail !== undefined && { detail: detail.trim() === "" ? null : detail }),
    ...(word !== undefined && { severity }),
    ...(invocation.has("tag") && { tags: invocation.texts("tag") }),
  };
}
