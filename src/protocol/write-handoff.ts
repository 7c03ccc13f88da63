import { type JsonRecord, type JsonValue, sameJson } from "../shared/json-value.ts";
import { putCarried } from "./carried-place.ts";
import { packCarried, projectOnto } from "./carry.ts";
import { dialectNamed } from "./dialects/registry.ts";
import type { Dialect, Filling } from "./dialect.ts";
import type { Severity } from "./diagnostic.ts";
import { type DialectName, type Handoff, handoffParts } from "./handoff.ts";
import { describeChange } from "./describe-change.ts";

export interface WriteOptions {
  /** Formats beside the five. */
  readonly formats?: readonly Dialect[];
  /** Values for what the target demands and the handoff lacks. */
  readonly now?: string;
  readonly from?: string;
  readonly to?: string;
  readonly issue?: string;
  /** Agents of the workflow, in a run: their names are written as they are. */
  readonly agents?: readonly string[];
  /** Leave out what the target dialect has no field for, instead of carrying it along. */
  readonly carry?: boolean;
}

/** A change that writing in another dialect made. */
export interface WriteNote {
  readonly code: "loss" | "carried" | "filled";
  readonly severity: Severity;
  /** The part of the canonical handoff, `work.modified`, or the field of the target that was filled. */
  readonly part: string;
  readonly message: string;
}

export interface Written {
  readonly text: string;
  readonly document: JsonRecord;
  readonly notes: readonly WriteNote[];
}

/** Parts that steer a run: a change in one of them is a loss even when the original travels along. */
const STEERING = new Set(["outcome", "from", "to", "final"]);

/** Writes a handoff in a dialect, with notes on everything that was lost or filled in. */
export function writeHandoff(handoff: Handoff, target: DialectName, options: WriteOptions = {}): Written {
  const dialect = dialectNamed(target, options.formats);
  const notes: WriteNote[] = [];
  const filling: Filling = { ...options, filledIn: (field, value, why) => notes.push(filledNote(field, value, why)) };
  const own = dialect.lower(handoff, filling);
  const { from, to, agents } = options;
  const read = projectOnto(handoff, dialect, {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(agents !== undefined && { agents }),
  });
  const left = handoffParts(read);
  for (const [part, value] of handoffParts(handoff)) {
    // It is written as the numbers themselves, where they still have the value.
    if (sameJson(value, left.get(part)) || part === `spelling.${target}`) continue;
    const carry = options.carry !== false;
    if (part !== "status") notes.push(changeNote(part, value, left.get(part), carry, target));
  }
  const packed = options.carry === false ? null : packCarried(handoff, read);
  const document = packed === null ? own : putCarried(own, dialect, packed);
  return { text: printHandoff(document, dialect, handoff), document, notes };
}

export function printHandoff(document: JsonRecord, dialect: Dialect, handoff: Handoff): string {
  const block = dialect.print(document, handoff.spelling?.[dialect.name]);
  return dialect.wrap?.(block, handoff) ?? block;
}

function filledNote(field: string, value: JsonValue, why: string): WriteNote {
  return {
    code: "filled",
    severity: "warning",
    part: field,
    message: `\`${field}\` was filled in with ${JSON.stringify(value)}: ${why}.`,
  };
}

function changeNote(
  part: string,
  before: JsonValue,
  after: JsonValue | undefined,
  carried: boolean,
  target: DialectName,
): WriteNote {
  const became = after === undefined ? `\`${part}\` has no field` : describeChange(part, before, after);
  const kept = carried ? "; the original travels along under `carried`" : "";
  const isLoss = !carried || STEERING.has(part);
  return {
    code: isLoss ? "loss" : "carried",
    severity: isLoss ? "warning" : "info",
    part,
    message: `${became} in ${target}${kept}.`,
  };
}
