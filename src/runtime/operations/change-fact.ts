import type { Citation, Fact } from "../../knowledge/fact.ts";
import { cite, type Freshness } from "../../knowledge/freshness.ts";
import type { FactChange } from "../../ports/knowledge-store.ts";
import { AppError } from "../../shared/app-error.ts";
import { visibleText } from "../../shared/envelope.ts";
import type { Engine } from "../engine.ts";
import { checkFreshness } from "../prepare-packet.ts";
import { findFact } from "./show-fact.ts";

export { FACT_SEVERITIES } from "../../knowledge/fact.ts";

/** Who changes a fact, and why. */
export interface Person {
  readonly by: string;
  readonly why: string | null;
}

/** A fact before and after the change. */
export interface FactPair {
  readonly before: Fact;
  readonly after: Fact;
}

interface ConfirmedFact extends FactPair {
  /** Result of the check of its citation, which is now up to date; null when it cites nothing. */
  readonly found: Freshness | null;
}

/** Trusts or retires a fact on behalf of a person. */
export async function judgeFact(
  engine: Engine,
  id: string,
  kind: "promote" | "retire",
  person: Person,
): Promise<FactPair> {
  const before = await findFact(engine, id);
  return { before, after: await change(engine, id, person, { kind }) };
}

/** Confirms that a fact is true today: its citation is updated to the present lines. */
export async function confirmFact(engine: Engine, id: string, person: Person): Promise<ConfirmedFact> {
  const before = await findFact(engine, id);
  const [checked] = await checkFreshness(engine.ports, engine.root, [before]);
  const found = checked?.freshness ?? null;
  const confirmed = await change(engine, id, person, { kind: "confirm" });
  if (before.citation === null || found === null || found.is === "unchanged")
    return { before, after: confirmed, found };
  const citation = await citedNow(engine, before, before.citation, found);
  return { before, after: await change(engine, id, person, { kind: "cite", citation }), found };
}

interface MergedFacts {
  readonly merged: FactPair;
  /** The fact it is merged into. */
  readonly into: FactPair;
}

export async function mergeFact(engine: Engine, id: string, into: string, person: Person): Promise<MergedFacts> {
  const [before, other] = [await findFact(engine, id), await findFact(engine, into)];
  const after = await change(engine, id, person, { kind: "merge", into });
  return { merged: { before, after }, into: { before: other, after: await findFact(engine, into) } };
}

export type FactEdit = Extract<FactChange, { kind: "edit" }>["fields"];

export async function editFact(engine: Engine, id: string, edit: FactEdit, person: Person): Promise<FactPair> {
  const { redact } = engine.ports;
  const { text, detail, tags, severity } = edit;
  const before = await findFact(engine, id);
  const after = await change(engine, id, person, {
    kind: "edit",
    fields: {
      ...(text !== undefined && { text: redact(oneLine(text)) }),
      ...(detail !== undefined && { detail: detail === null ? null : redact(oneLine(detail)) }),
      ...(severity !== undefined && { severity }),
      ...(tags !== undefined && { tags: tags.map(redact) }),
    },
  });
  return { before, after };
}

type Doing =
  | { readonly kind: "promote" | "confirm" | "retire" }
  | { readonly kind: "merge"; readonly into: string }
  | { readonly kind: "edit"; readonly fields: FactEdit }
  | { readonly kind: "cite"; readonly citation: Citation | null };

async function change({ ports }: Engine, id: string, { by, why }: Person, doing: Doing): Promise<Fact> {
  const reason = why === null ? null : ports.redact(oneLine(why));
  return ports.knowledge.change({ id, by, why: reason, at: ports.clock.now(), ...doing });
}

const LARGEST = 1_048_576;

/** The citation at its present place; null when the cited file cannot be read. */
async function citedNow(
  { ports, root }: Engine,
  { text: said, detail }: Fact,
  { path, lines }: Citation,
  found: Freshness,
): Promise<Citation | null> {
  const [place, first] = found.is === "moved" ? [found.path, found.first] : [path, lines?.first ?? 1];
  const text = (await ports.workspace.read(root, place, LARGEST))?.text ?? null;
  if (text === null) return null;
  const moved = lines === null ? null : { first, last: first + lines.last - lines.first };
  return cite(place, moved, text, await ports.repository.head(root), `${said} ${detail ?? ""}`);
}

const MAX_TEXT = 500;

function oneLine(text: string): string {
  const line = visibleText(text).replaceAll(/\s+/g, " ").trim();
  if (line.length <= MAX_TEXT) return line;
  throw new AppError("wrong-usage", `The text has ${line.length} characters.`, `At most ${MAX_TEXT} are kept.`);
}
