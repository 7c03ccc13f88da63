import { MAX_FINDINGS } from "./document-check.ts";
import type { DiagnosticCode, Severity } from "./diagnostic.ts";
import { type JsonPath, isRecord } from "../shared/json-value.ts";
import { nearestWord } from "../shared/nearest-word.ts";
import type { RecordShape, Shape } from "./shape.ts";

/** A problem in a file that configures Baton, located by its path in the file. */
export interface FileFinding {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly path: JsonPath;
  /** Points at the key instead of the value. */
  readonly atKey?: boolean;
  /** A part of the text at the path. */
  readonly within?: { readonly start: number; readonly end: number };
  readonly message: string;
  readonly hint: string;
}

type Told = Omit<FileFinding, "severity"> & { readonly severity?: Severity };

/** Collects up to a thousand problems, and notes whether there were more. */
export class Problems {
  readonly findings: FileFinding[] = [];
  overflowed = false;
  #guesses = 0;

  add(finding: Told): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push({ severity: "error", ...finding });
    else this.overflowed = true;
  }

  /** Whether an error was already reported for the value at this path or for one that contains it. */
  hasErrorAbove(path: JsonPath): boolean {
    return this.findings.some(
      (finding) =>
        finding.severity === "error" &&
        finding.path.length > 1 &&
        finding.path.length <= path.length &&
        finding.path.every((step, index) => step === path[index]),
    );
  }

  /** Reports an undefined name. Suggestions cost time, so only the first ones get one. */
  unknownName(what: string, name: string, known: readonly string[], path: JsonPath): void {
    // An empty name stands for an invalid or empty value, which was already reported.
    if (name === "") return;
    const named = known.filter((other) => other !== "");
    const meant = this.#guesses++ < MAX_GUESSES ? nearestWord(name, named) : null;
    const listed = named.length === 0 ? "There are none." : `There are ${named.slice(0, 12).join(", ")}.`;
    const hint = meant === null ? listed : `Did you mean ${meant}?`;
    this.add({ code: "unknown-name", path, message: `No ${what} is called \`${clipText(name)}\`.`, hint });
  }
}

const MAX_GUESSES = 50;

export function clipText(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** An unknown key in such a file is an error, because it would silently have no effect. */
export function checkKeys(value: unknown, shape: Shape, path: JsonPath, problems: Problems): void {
  if (shape.kind === "list" && Array.isArray(value))
    for (const [index, item] of value.entries()) checkKeys(item, shape.item, [...path, index], problems);
  if (!isRecord(value)) return;
  if (shape.kind === "record") checkRecord(value, shape, path, problems);
  else if (shape.kind === "map")
    for (const key of Object.keys(value)) checkKeys(value[key], shape.values, [...path, key], problems);
}

function checkRecord(value: object, shape: RecordShape, path: JsonPath, problems: Problems): void {
  for (const [key, inner] of Object.entries(value)) {
    if (Object.hasOwn(shape.fields, key)) {
      const field = shape.fields[key];
      if (field !== undefined) checkKeys(inner, field.shape, [...path, key], problems);
    } else unknownKey(key, Object.keys(shape.fields), path, problems);
  }
}

export function unknownKey(key: string, known: readonly string[], path: JsonPath, problems: Problems): void {
  const meant = nearestWord(key, known);
  problems.add({
    code: "unknown-key",
    path: [...path, key],
    atKey: true,
    message: `\`${clipText(key)}\` means nothing here.`,
    hint: meant === null ? `Keys here are ${known.join(", ")}.` : `Did you mean ${meant}?`,
  });
}
