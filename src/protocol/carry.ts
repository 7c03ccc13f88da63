import { type JsonRecord, type JsonValue, isRecord, sameJson } from "../shared/json-value.ts";
import { CARRIED } from "./carried-place.ts";
import type { Dialect, Filling } from "./dialect.ts";
import { withNamedParts } from "./dialects/phase-yaml/named-context.ts";
import { DIALECTS, isBuiltin } from "./dialects/registry.ts";
import { fitsPart } from "./fits-part.ts";
import {
  type DialectName,
  type Handoff,
  type Outcome,
  handoffParts,
  handoffShape,
  withParts,
  withoutParts,
} from "./handoff.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { STATED_PARTS, isKept } from "./stated-parts.ts";
import { packIndex, packPart, unpackPart } from "./pack-parts.ts";
import { parseBlock } from "./syntax/parse-block.ts";

interface Restored {
  readonly handoff: Handoff;
  /** Names of carried parts that do not agree with the handoff, and were left out. */
  readonly refused: readonly string[];
}

/** More than twice the parts a handoff can have. */
const MAX_PARTS = 200;

/** What has to be carried so that reading the target gives the handoff again. `own` is what its own fields will say. */
export function packCarried(handoff: Handoff, own: Handoff): JsonRecord | null {
  const stated = handoffParts(handoff);
  const read = handoffParts(implied(own, handoff.dialect, handoff.outcome));
  const absent = [...read.keys()].filter((name) => !stated.has(name) && !isKept(name));
  const lacking = [...stated].filter(([name, value]) => !sameJson(value, read.get(name)) && !isSpelling(name, own));
  if (isReadBack(handoff, own)) return null;
  const index = packIndex(own);
  return {
    [SOURCE]: handoff.dialect,
    ...(absent.length > 0 && { [ABSENT]: absent.join(" ") }),
    ...Object.fromEntries(lacking.map(([name, value]) => [name, packPart(value, index)])),
  };
}

/** Whether the target's own fields say all that the handoff does, and no more than was filled in. */
function isReadBack(handoff: Handoff, own: Handoff): boolean {
  const [stated, read] = [handoffParts(handoff), handoffParts(own)];
  return [...new Set([...stated.keys(), ...read.keys()])].every(
    (name) =>
      sameJson(stated.get(name), read.get(name)) || (isKept(name) && !stated.has(name)) || isSpelling(name, own),
  );
}

/** It is written as the numbers themselves, where they still have the value. */
function isSpelling(name: string, own: Handoff): boolean {
  return name === `spelling.${own.dialect}`;
}

/** What follows without being carried from what the target's own fields say, and from the dialect of the source. */
function implied(own: Handoff, source: DialectName, outcome: Outcome): Handoff {
  const named = withNamedParts(own);
  // Of a format that is not among the five nothing is known when the target is read: all of it is carried.
  if (!isBuiltin(source)) return named;
  const foreign = [...handoffParts(named).keys()].filter((name) => !isKept(name) && !STATED_PARTS[source].has(name));
  const noLoop = { loop: { required: false, target: null, reason: null } };
  const left = withoutParts(named, foreign);
  return {
    ...left,
    status: DIALECTS[source].words[outcome],
    ...(source === "pipeline-json" && { iteration: own.iteration ?? 1, routing: { ...noLoop, ...left.routing } }),
  };
}

/** The dialect that a carried handoff was written from. Without it, the parts are not packed. */
const SOURCE = "source";
/** Names of parts that the target's own fields have, and the handoff does not. */
const ABSENT = "absent";

/** Parts to put over those of a handoff; undefined takes the part away. */
type Changes = Map<string, JsonValue | undefined>;

/** The handoff with the carried parts that have the right shape and agree with its own fields. */
export function restoreCarried(handoff: Handoff, carried: JsonRecord, dialect: Dialect): Restored {
  const { [SOURCE]: source, [ABSENT]: absent, ...parts } = carried;
  if (Object.keys(parts).length > MAX_PARTS) return { handoff, refused: [CARRIED] };
  const packs = isPacked(carried);
  const changes: Changes = new Map();
  const refused: string[] = [];
  for (const [name, packed] of Object.entries(packs ? parts : carried)) {
    const value = packed === undefined || !packs ? packed : unpackPart(packed, handoff);
    if (value === undefined || isMisshapen(name, value)) refused.push(name);
    else changes.set(name, value);
  }
  if (!packs) return keepAgreeing(handoff, changes, refused, dialect);
  addImplied(handoff, source as DialectName, new Set(namesIn(absent)), changes);
  return keepExact({ handoff, dialect, source: source as DialectName }, changes, refused);
}

/** What follows from the dialect of the source: parts that it states otherwise, and those that it cannot state. */
function addImplied(handoff: Handoff, source: DialectName, absent: ReadonlySet<string>, changes: Changes): void {
  const outcome = (changes.get("outcome") as Outcome | undefined) ?? handoff.outcome;
  const read = handoffParts(implied(handoff, source, outcome));
  const own = handoffParts(handoff);
  for (const name of new Set([...read.keys(), ...own.keys()])) {
    const value = absent.has(name) ? undefined : read.get(name);
    if (!changes.has(name) && !sameJson(value, own.get(name))) changes.set(name, value);
  }
}

/** Whether carried parts may refer to the target's own fields. Those of earlier versions do not. */
export function isPacked(carried: JsonRecord): boolean {
  const source = carried[SOURCE];
  return typeof source === "string" && source.length <= MAX_NAME && DIALECT_NAME.test(source);
}

const DIALECT_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAME = 40;

function namesIn(absent: JsonValue | undefined): string[] {
  const names = typeof absent === "string" ? absent.split(" ").slice(0, MAX_PARTS) : [];
  return names.filter((name) => NAME.test(name) && !isKept(name));
}

/** Each part must be written as it stands there. */
function keepAgreeing(handoff: Handoff, parts: Changes, refused: string[], dialect: Dialect): Restored {
  const own = handoffParts(handoff);
  const withoutWord = new Map([...parts].filter(([name]) => name !== "status"));
  const projections = [parts, withoutWord].map((some) => handoffParts(projectOnto(changed(handoff, some), dialect)));
  for (const name of parts.keys()) {
    if (name === "status" || projections.some((projection) => sameJson(projection.get(name), own.get(name)))) continue;
    parts.delete(name);
    refused.push(name);
  }
  return { handoff: changed(handoff, parts), refused };
}

interface CarriedContext {
  readonly handoff: Handoff;
  readonly dialect: Dialect;
  readonly source: DialectName;
}

/**
 * The whole handoff must be written as it stands there, as it was when it was converted. If it is not, someone has changed
 * the target's own fields since: the parts that would be written otherwise are left out.
 */
function keepExact(context: CarriedContext, changes: Changes, refused: string[]): Restored {
  const { handoff } = context;
  for (let wrong = disagreements(context, changes); wrong.size > 0; wrong = disagreements(context, changes)) {
    const all = projected(context, changes);
    const causes = [...changes.keys()].filter((name) => {
      if (wrong.has(name)) return true;
      const without = projected(context, new Map([...changes].filter(([other]) => other !== name)));
      return [...wrong].some((part) => !sameJson(without.get(part), all.get(part)));
    });
    for (const name of causes.length > 0 ? causes : [...changes.keys()]) {
      changes.delete(name);
      refused.push(name);
    }
    if (changes.size === 0) break;
  }
  return { handoff: changed(handoff, changes), refused };
}

function disagreements(context: CarriedContext, changes: Changes): Set<string> {
  const own = handoffParts(context.handoff);
  const written = projected(context, changes);
  const names = new Set([...own.keys(), ...written.keys()]);
  return new Set(
    [...names].filter((name) => !name.startsWith("spelling.") && !sameJson(own.get(name), written.get(name))),
  );
}

function projected({ handoff, dialect, source }: CarriedContext, changes: Changes): Map<string, JsonValue> {
  return handoffParts(projectOnto({ ...changed(handoff, changes), dialect: source }, dialect));
}

function changed(handoff: Handoff, changes: Changes): Handoff {
  const given = new Map<string, JsonValue>();
  for (const [name, value] of changes) if (value !== undefined) given.set(name, value);
  const taken = [...changes].filter(([, value]) => value === undefined).map(([name]) => name);
  return withParts(withoutParts(handoff, taken), given);
}

/** What is left of a handoff when it is written in a dialect's own fields and read back. */
export function projectOnto(handoff: Handoff, dialect: Dialect, filling: Partial<Filling> = {}): Handoff {
  const document = dialect.lower(handoff, { ...filling, filledIn: () => undefined });
  const written = dialect.syntax === "json" ? document : asWritten(document, dialect);
  return dialect.lift(written, dialect.originOf?.(handoff) ?? {});
}

/** A text cannot hold everything a value can: XML drops control characters and outer space. */
function asWritten(document: JsonRecord, dialect: Dialect): JsonRecord {
  const parsed = parseBlock(dialect.print(document), { syntax: dialect.syntax, shape: dialect.shape }, DEFAULT_LIMITS);
  return isRecord(parsed?.document) ? parsed.document : document;
}

const NAME = /^[a-z_]+(?:\.[a-z0-9_-]+)?$/;

function isMisshapen(name: string, value: JsonValue): boolean {
  // `in` would also find what every object inherits, and `__proto__` would then change the handoff's nature.
  const known = NAME.test(name) && Object.hasOwn(handoffShape.fields, name.split(".")[0] ?? "");
  return !known || !fitsPart(name, value);
}
