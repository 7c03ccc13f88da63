/** Any value that JSON can hold. Records are open: a key that is absent reads as undefined. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonRecord;
export interface JsonRecord {
  [key: string]: JsonValue | undefined;
}

/** Where a value sits inside a document: record keys and list positions, outermost first. */
export type JsonPath = readonly (string | number)[];

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a key that a stranger chose: `toString` and `constructor` are keys like any other. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Sets such a key; a plain assignment to `__proto__` would change the record's nature instead. */
export function setOwnValue(record: JsonRecord, key: string, value: JsonValue): void {
  if (key !== "__proto__") record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** By code unit. Most records have been sorted before, and to see that is cheaper than to sort. */
export function sortedKeys(record: JsonRecord): string[] {
  const keys = Object.keys(record);
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] ?? "") > (keys[at] ?? "")) return keys.sort();
  return keys;
}

/** Structural equality; an absent key and an undefined value are the same. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && sameList(left, right);
  return isRecord(left) && isRecord(right) && sameRecord(left, right);
}

function sameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
}

function sameRecord(left: JsonRecord, right: JsonRecord): boolean {
  for (const key of Object.keys(left)) if (!sameJson(left[key], ownValue(right, key))) return false;
  for (const key of Object.keys(right)) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false;
  return true;
}

/** `issues[2].location` for people; a key that is not a plain word is quoted. */
export function printPath(path: JsonPath): string {
  let printed = "";
  for (const step of path) {
    if (typeof step === "number") printed += `[${step}]`;
    else if (/^[\p{L}\p{M}\p{N}_@#-]+$/u.test(step)) printed += printed === "" ? step : `.${step}`;
    else printed += `[${JSON.stringify(step)}]`;
  }
  return printed === "" ? "the document" : printed;
}

/** A value inside a sentence: texts as they are, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
