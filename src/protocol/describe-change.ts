import {
  isRecord,
  type JsonPath,
  type JsonValue,
  ownValue,
  printPath,
  sameJson,
  sortedKeys,
} from "../shared/json-value.ts";

interface Difference {
  readonly path: JsonPath;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

const LONGEST = 48;
const MAX_TOLD = 3;

/** `work.branch` reads as "a" instead of "b". Of what is too long to be shown whole, the fields inside that differ. */
export function describeChange(part: string, before: JsonValue, after: JsonValue): string {
  const isShort = [before, after].every((value) => JSON.stringify(value).length <= LONGEST);
  const all = isShort ? [{ path: [], before, after }] : differences([], before, after);
  const told = all.slice(0, MAX_TOLD).map((difference) => tellDifference(part, difference));
  return `${told.join(", ")}${all.length > told.length ? ` and ${all.length - told.length} more` : ""}`;
}

function differences(path: JsonPath, before: JsonValue | undefined, after: JsonValue | undefined): Difference[] {
  if (sameJson(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after))
    return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
      differences([...path, index], before[index], after[index]),
    );
  if (isRecord(before) && isRecord(after))
    return sortedKeys({ ...before, ...after }).flatMap((key) =>
      differences([...path, key], ownValue(before, key), ownValue(after, key)),
    );
  return [{ path, before, after }];
}

function tellDifference(part: string, { path, before, after }: Difference): string {
  const inner = path.length === 0 ? "" : printPath(path);
  const name = `\`${part}${inner === "" || inner.startsWith("[") ? "" : "."}${inner}\``;
  if (after === undefined) return `${name} is left out`;
  if (before === undefined) return `${name} is new: ${excerpt(JSON.stringify(after), 0)}`;
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  const start = firstDifference(was, is);
  return `${name} reads as ${excerpt(is, start)} instead of ${excerpt(was, start)}`;
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

/** Such that what differs is in it. */
function excerpt(printed: string, difference: number): string {
  if (printed.length <= LONGEST) return printed;
  const start = difference < LONGEST / 2 ? 0 : difference - 12;
  const end = start + LONGEST - 3;
  return `${start > 0 ? "..." : ""}${printed.slice(start, end)}${end < printed.length ? "..." : ""}`;
}
