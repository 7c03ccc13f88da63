import type { Engine } from "../../runtime/engine.ts";
import {
  confirmFact,
  editFact,
  type FactEdit,
  judgeFact,
  mergeFact,
  type Person,
  SEVERITIES,
} from "../../runtime/operations/change-fact.ts";
import type { Fact } from "../../runtime/operations/search-knowledge.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { describeFreshness, factRecord } from "./print-fact.ts";
import { oneFact, type Subcommand, wrongUse } from "./subcommand.ts";

const promote = change("promote", "ID", "Let a quarantined fact be passed on.", [], (id, person, engine) =>
  judgeFact(engine, id, "promote", person),
);

const confirm: Subcommand = {
  name: "confirm",
  usage: "ID",
  about: "You have looked: it is true today. What it cites is taken as it stands now.",
  options: ["why", "json"],
  async run(invocation, engine, terminal) {
    const { fact, found } = await confirmFact(engine, oneFact(invocation, "confirm"), personOf(invocation, terminal));
    tell(fact, invocation, terminal);
    if (found !== null && found.is !== "unchanged") {
      const now = fact.citation === null ? "cites nothing any more" : "cites what stands there now";
      terminal.note(printable(`What it cited is ${describeFreshness(found).split(":")[0] ?? ""}; it ${now}.`) + "\n");
    }
    return EXIT.fine;
  },
};

const retire = change(
  "retire",
  "ID",
  "It is not true any more: it is never passed on again.",
  [],
  (id, person, engine) => judgeFact(engine, id, "retire", person),
);

const merge = change(
  "merge",
  "ID --into ID",
  "Two facts are one: all witnesses of the first go to the second.",
  ["into"],
  (id, person, engine, invocation) => {
    const into = invocation.text("into");
    if (into === undefined) throw wrongUse("Name the fact that it goes on as: --into ID.");
    return mergeFact(engine, id, into, person);
  },
);

const edit = change(
  "edit",
  "ID",
  "Change --text, --detail, --severity or --tag. No handoff changes it afterwards.",
  ["text", "detail", "severity", "tag"],
  (id, person, engine, invocation) => {
    const fields = fieldsOf(invocation);
    if (Object.keys(fields).length === 0) throw wrongUse("Say what to change: --text, --detail, --severity or --tag.");
    return editFact(engine, id, fields, person);
  },
);

export const CHANGES: readonly Subcommand[] = [promote, confirm, retire, merge, edit];

type Changing = (id: string, person: Person, engine: Engine, invocation: Invocation) => Promise<Fact>;

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

function tell(fact: Fact, invocation: Invocation, terminal: Terminal): void {
  if (invocation.has("json")) terminal.out(printJsonLines({ fact: factRecord(fact) }));
  else terminal.note(`${printable(fact.id)} is ${fact.status}: ${printable(fact.text)}\n`);
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
