import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue, printPath } from "../shared/json-value.ts";
import type { Finding } from "./finding.ts";
import type { Field, RecordShape } from "./shape.ts";

/** Whether a field takes a value as it is. */
type Takes = (field: Field, value: JsonValue) => boolean;

/**
 * A missing field that most likely stands in the document all the same: under a name that ends with its own, or one
 * level too deep. A longer name is left to a person: `old_status` is not `status`.
 */
export function withFieldElsewhere(finding: Finding, document: unknown, shape: RecordShape, takes: Takes): Finding {
  if (finding.code !== "missing-field") return finding;
  for (const path of finding.lacks ?? []) {
    // A finding that points at a key has found a misspelled one.
    const found = finding.path.length < path.length ? findElsewhere(document, path, shape, takes) : null;
    if (found === null) continue;
    const { says, ...more } = found;
    return { ...finding, message: `${finding.message} ${says}`, ...more };
  }
  return finding;
}

function findElsewhere(document: unknown, path: JsonPath, shape: RecordShape, takes: Takes): Elsewhere | null {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const record = parent.reduce<unknown>((value, step) => (isParent(value) ? value[step] : undefined), document);
  if (!isRecord(record)) return null;
  const longer = Object.keys(record).find((key) => key.endsWith(`_${name}`) && !Object.hasOwn(shape.fields, key));
  if (longer !== undefined) {
    const says = `\`${printPath([...parent, longer])}\` may be meant.`;
    return { says, hint: `Rename \`${longer}\` to \`${name}\` if that is what it is.` };
  }
  const holders = Object.keys(record).filter((key) => isRecord(record[key]) && Object.hasOwn(record[key], name));
  const [outer] = holders;
  if (outer === undefined) return null;
  const place = [...parent, outer, name];
  const title = `Move \`${printPath(place)}\` to \`${printPath(path)}\``;
  const isCertain = parent.length === 0 && holders.length === 1 && isMisplaced(record, outer, name, shape, takes);
  return {
    says: `It stands one level too deep, in \`${outer}\`.`,
    hint: `${title}${isCertain ? "" : " if that is what it is"}.`,
    ...(isCertain && { path: place, atKey: true, repair: { kind: "move", title } }),
  };
}

/**
 * Whether hardly anything else can be meant: a list or record that the field takes as it is, in a record of the format
 * that has no such field. A single value could speak of something else, as the status of an earlier handoff does.
 */
function isMisplaced(record: JsonRecord, outer: string, name: string, { fields }: RecordShape, takes: Takes): boolean {
  const holder = ownValue(fields, outer)?.shape;
  const field = ownValue(fields, name);
  const around = record[outer];
  const value = isRecord(around) ? around[name] : undefined;
  if (holder?.kind !== "record" || Object.hasOwn(holder.fields, name) || field === undefined) return false;
  return typeof value === "object" && value !== null && takes(field, value);
}

interface Elsewhere extends Pick<Finding, "hint" | "repair"> {
  readonly says: string;
  readonly path?: JsonPath;
  readonly atKey?: true;
}

function isParent(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === "object" && value !== null;
}
