import { groupBy } from "../shared/group-by.ts";
import { type JsonPath, printPath } from "../shared/json-value.ts";
import type { DocumentCheck, NearMiss } from "./document-check.ts";
import type { Finding } from "./finding.ts";

/**
 * The findings of a document together with its near misses. A field that is told as missing is told once, at
 * the key that looks like it; any other near miss is a warning, for the handoff can be read without the field.
 */
export function withNearMisses(check: DocumentCheck, fits: (nearMiss: NearMiss) => boolean): readonly Finding[] {
  const { findings, nearMisses } = check;
  if (nearMisses.length === 0) return findings;
  const byField = groupBy(nearMisses, ({ path, name }) => placeOf([...path, name]));
  const isSafe = (nearMiss: NearMiss): boolean =>
    byField.get(placeOf([...nearMiss.path, nearMiss.name]))?.length === 1 && fits(nearMiss);
  const told = new Set<NearMiss>();
  const explained = findings.map((finding) => {
    const [nearMiss] = (finding.lacks ?? []).flatMap((path) => byField.get(placeOf(path)) ?? []);
    if (nearMiss === undefined) return finding;
    told.add(nearMiss);
    return missing(finding, nearMiss, isSafe(nearMiss));
  });
  const others = nearMisses.filter((nearMiss) => !told.has(nearMiss));
  return [...explained, ...others.map((nearMiss) => misspelled(nearMiss, isSafe(nearMiss)))];
}

function placeOf(path: JsonPath): string {
  return JSON.stringify(path);
}

function missing({ repair: _repair, ...finding }: Finding, nearMiss: NearMiss, isSafe: boolean): Finding {
  const message = `${finding.message} \`${printPath([nearMiss.key])}\` looks like it.`;
  return { ...finding, message, ...renaming(nearMiss, isSafe) };
}

function misspelled(nearMiss: NearMiss, isSafe: boolean): Finding {
  const { path, key, name, field } = nearMiss;
  const message = `\`${printPath([...path, key])}\` is no field of the format: it looks like \`${name}\`, which is missing.`;
  const { rule } = field;
  return { code: "near-miss", rule, severity: "warning", message, ...renaming(nearMiss, isSafe) };
}

/** Only a value that the field can take is renamed without a question. */
function renaming({ path, key, name, field }: NearMiss, isSafe: boolean): Pick<Finding, "path" | "hint" | "repair"> {
  const at = { path: [...path, key], atKey: true };
  const title = `Rename \`${printPath([key])}\` to \`${name}\``;
  if (isSafe) return { ...at, hint: `${title}.`, repair: { kind: "rename", title, key: name } };
  return { ...at, hint: `${title} if that is what it is. ${field.about}` };
}
