import type { Engine } from "../../runtime/engine.ts";
import {
  confirmFact,
  editFact,
  type FactEdit,
  type FactPair,
  judgeFact,
  mergeFact,
  type Person,
  FACT_SEVERITIES,
} from "../../runtime/operations/change-fact.ts";
import { personOf } from "../../runtime/request-source.ts";
import { type Fact, type Citation, printPlace } from "../../runtime/operations/search-knowledge.ts";
import type { Freshness } from "../../runtime/operations/show-fact.ts";
import { printable, printJsonLines, defuseLines } from "../../shared/printable.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import type { Terminal } from "../terminal.ts";
import { describeFreshness, factRecord, placeRecord, oneFact, type Subcommand, wrongUse } from "./print-fact.ts";
import { sameJson } from "../../shared/json-value.ts";

const promote = change("promote", "ID", "Let a quarantined fact be passed on.", [], async (id, person, engine) =>
  changeOf(await judgeFact(engine, id, "promote", person)),
);

const confirm = change(
  "confirm",
  "ID",
  "You have looked: it is true today. What it cites is taken as it stands now.",
  [],
  async (id, person, engine) => {
    const { found, ...pair } = await confirmFact(engine, id, person);
    const changed = { ...changeOf(pair), found };
    if (found === null || found.is === "unchanged") return changed;
    const now = pair.after.citation === null ? "cites nothing any more" : "cites what stands there now";
    return { ...changed, note: `What it cited is ${describeFreshness(found).split(":")[0] ?? ""}; it ${now}.` };
  },
);

const retire = change(
  "retire",
  "ID",
  "It is not true any more: it is never passed on again.",
  [],
  async (id, person, engine) => changeOf(await judgeFact(engine, id, "retire", person)),
);

const merge = change(
  "merge",
  "ID --into ID",
  "Two facts are one: all sources of the first go to the second.",
  ["into"],
  async (id, person, engine, invocation) => {
    const into = invocation.text("into");
    if (into === undefined) throw wrongUse("Name the fact that it goes on as: --into ID.");
    const facts = await mergeFact(engine, id, into, person);
    const gone = [...differencesIn(facts.merged), mergedInto(id, into)];
    const goesOn = changeOf(facts.into);
    return { ...goesOn, changed: [[facts.merged.after, gone], ...goesOn.changed] };
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
    return changeOf(await editFact(engine, id, fields, person));
  },
);

export const CHANGES: readonly Subcommand[] = [promote, confirm, retire, merge, edit];

/** What a change did, to be printed. */
interface FactChange {
  /** As it is now; of a merge, what goes on. */
  readonly fact: Fact;
  /** Every fact that was concerned, with what is different about it. */
  readonly changed: readonly (readonly [fact: Fact, changes: readonly FactDifference[]])[];
  /** What had become of what it cites; only a confirmation looks. */
  readonly found?: Freshness | null;
  readonly note?: string;
}

function changeOf(pair: FactPair): FactChange {
  return { fact: pair.after, changed: [[pair.after, differencesIn(pair)]] };
}

type Changing = (id: string, person: Person, engine: Engine, invocation: Invocation) => Promise<FactChange>;

function change(name: string, usage: string, about: string, options: readonly string[], work: Changing): Subcommand {
  return {
    name,
    usage,
    about,
    options: [...options, "why", "json"],
    async run(invocation, engine, terminal) {
      const id = oneFact(invocation, name);
      printChange(
        await work(id, await whoChanges(name, invocation, terminal), engine, invocation),
        invocation,
        terminal,
      );
      return EXIT.fine;
    },
  };
}

async function whoChanges(name: string, invocation: Invocation, terminal: Terminal): Promise<Person> {
  const by = personOf(await terminal.requestSource(), `\`baton knowledge ${name}\``);
  return { by, why: invocation.text("why") ?? null };
}

function printChange({ fact, changed, found, note }: FactChange, invocation: Invocation, terminal: Terminal): void {
  if (invocation.has("json")) {
    const changes = changed.flatMap(([, each]) => each).map(differenceRecord);
    terminal.out(printJsonLines({ fact: factRecord(fact), changes, ...(found !== undefined && { found }) }));
    return;
  }
  for (const [each, changes] of changed) say(terminal, printDifferences(each, changes));
  if (note !== undefined) say(terminal, `${printable(note)}\n`);
}

/** `--severity none` and `--detail ""` take them away. */
function fieldsOf(invocation: Invocation): FactEdit {
  const [text, detail, word] = [invocation.text("text"), invocation.text("detail"), invocation.text("severity")];
  const severity = FACT_SEVERITIES.find((each) => each === word) ?? null;
  if (word !== undefined && word !== "none" && severity === null)
    throw wrongUse(`--severity is one of ${FACT_SEVERITIES.join(", ")}, none; found "${word}".`);
  return {
    ...(text !== undefined && { text }),
    ...(detail !== undefined && { detail: detail.trim() === "" ? null : detail }),
    ...(word !== undefined && { severity }),
    ...(invocation.has("tag") && { tags: invocation.texts("tag") }),
  };
}

/** One thing about a fact that is different now. */
interface FactDifference {
  readonly id: string;
  readonly what: string;
  readonly before: Value;
  readonly after: Value;
}

type Value = string | number | null | readonly string[] | Citation;

/** In the words of the record of a fact; of witnesses how many there are. */
function differencesIn({ before, after }: FactPair): FactDifference[] {
  const [was, is] = [comparable(before), comparable(after)];
  return Object.entries(is).flatMap(([what, now]) => {
    const then = was[what] ?? null;
    return sameJson(then, now) ? [] : [{ id: after.id, what, before: then, after: now }];
  });
}

/** What a merged one is called from now on. */
function mergedInto(id: string, into: string): FactDifference {
  return { id, what: MERGED, before: null, after: into };
}

const MERGED = "merged_into";

function comparable(fact: Fact): Readonly<Record<string, Value>> {
  const { status, text, detail, severity, tags, files, citation, witnesses, opposes, helped } = fact;
  return { status, text, detail, severity, tags, files, citation, witnesses: witnesses.length, opposes, helped };
}

/** As `--json` prints it: of a citation only its place, as in the record of a fact. */
function differenceRecord({ id, what, before, after }: FactDifference): object {
  const valueOf = (value: Value): unknown => (isCitation(value) ? placeRecord(value) : value);
  return { id, what, before: valueOf(before), after: valueOf(after) };
}

/** The fact, and a line for each thing that is different now. */
function printDifferences({ id, status, text }: Fact, differences: readonly FactDifference[]): string {
  const lines =
    differences.length === 0
      ? [`it was ${status} before: nothing has changed, but its history has this`]
      : differences.map(printDifference);
  return defuseLines([printable(`${id}: ${text}`), ...lines.map((line) => `    ${printable(line)}`), ""]);
}

function printDifference({ what, before, after }: FactDifference): string {
  const [was, is] = [printValue(before), printValue(after)];
  if (what === MERGED) return `goes on as ${is}`;
  // The same place, with something else in it.
  return `${what.padEnd(9)} ${was === is ? `${is}, as it stands now` : `${was} -> ${is}`}`;
}

function printValue(value: Value): string {
  if (value === null) return "none";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (isCitation(value)) return printPlace(value);
  return value.length === 0 ? "none" : value.join(", ");
}

function isCitation(value: Value): value is Citation {
  return typeof value === "object" && value !== null && "path" in value;
}
