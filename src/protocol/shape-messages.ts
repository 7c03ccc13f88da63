import { type JsonRecord, printPath, shown } from "../shared/json-value.ts";
import { nearestWord, sameWordOtherSpelling } from "../shared/nearest-word.ts";
import type { DocumentCheck } from "./document-check.ts";
import type { Field, NumberShape, TextShape } from "./shape.ts";
import { type PrintedXml, isPrintedXml } from "./syntax/xml-document.ts";
import { GAP, fits, isLeftOver, isTemplate, isUnfilledText, listsChoices } from "./unfilled-template.ts";

/** What is said, and how it is repaired, when a value does not have its shape. */

export function wrongType(
  value: unknown,
  expected: string,
  check: DocumentCheck,
  depth: number,
  field: Field,
  quoted = false,
): void {
  const path = check.path(depth);
  if (typeof value === "string" && isLeftOver(value)) {
    unfilled(check, depth, field, value);
    return;
  }
  check.report({
    code: "wrong-type",
    rule: field.rule,
    path,
    message: `${path.length === 0 ? "The handoff" : `\`${printPath(path)}\``} must be ${expected}; found ${describe(value)}.`,
    hint: quoted ? "Put the value in quotes: identifiers are text." : wrongTypeHint(value, expected, field),
    ...(quoted && { repair: { kind: "quote", title: "Quote the value" } as const }),
  });
}

/** An identifier that was written as a number: in quotes it is what it should be. */
export function isUnquoted(value: unknown, { oneOf, format }: TextShape): boolean {
  return typeof value === "number" && oneOf === undefined && (format === undefined || fits(String(value), format));
}

function wrongTypeHint(value: unknown, expected: string, field: Field): string {
  const isQuoted = typeof value === "string" && expected !== "text" && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value);
  // A number that is written in another way, as 007 is, was read as text without any quotes.
  if (isQuoted && (!/\d/.test(value) || String(Number(value)) === value)) return "Remove the quotes.";
  return field.about;
}

export function wrongText(value: string, shape: TextShape, check: DocumentCheck, depth: number, field: Field): void {
  if (shape.oneOf !== undefined) {
    if (!shape.oneOf.includes(value)) notOneOf(value, shape, check, depth, field);
    return;
  }
  if (shape.format !== undefined) {
    if (!fits(value, shape.format)) notFormatted(value, shape, check, depth, field);
    return;
  }
  if (shape.verbatim !== true && isUnfilledText(value)) unfilled(check, depth, field, value);
  else if (shape.filled === true && value.trim() === "") blank(check, depth, field);
  else wrongPlainText(value, shape, check, depth, field);
}

function wrongPlainText(value: string, shape: TextShape, check: DocumentCheck, depth: number, field: Field): void {
  const { maxLength = Infinity, pattern } = shape;
  if (value.length > maxLength) tooLong(value, shape, check, depth, field);
  else if (pattern !== undefined && !new RegExp(pattern).test(value)) notMatched(value, check, depth, field);
}

function notOneOf(value: string, shape: TextShape, check: DocumentCheck, depth: number, field: Field): void {
  if (listsChoices(value) || isUnfilledText(value)) {
    unfilled(check, depth, field, value);
    return;
  }
  const choices = shape.oneOf ?? [];
  const path = check.path(depth);
  const tolerated = shape.tolerated?.(value) ?? null;
  if (tolerated !== null) {
    const message = `\`${printPath(path)}\` says "${clip(value)}", which is not a word of the format; it was read as "${tolerated}".`;
    const repair = sameWordOtherSpelling(value, choices) === tolerated ? { repair: replaceWith(tolerated) } : {};
    check.report({
      code: "nonstandard-value",
      rule: field.rule,
      severity: "warning",
      path,
      message,
      hint: `Write one of ${choices.join(", ")}.`,
      ...repair,
    });
    return;
  }
  if (value.trim() === "") {
    blank(check, depth, field);
    return;
  }
  unknownWord(value, shape, check, depth, field);
}

function unknownWord(value: string, shape: TextShape, check: DocumentCheck, depth: number, field: Field): void {
  const choices = shape.oneOf ?? [];
  const path = check.path(depth);
  const respelled = sameWordOtherSpelling(value, choices) ?? shape.synonym?.(value) ?? null;
  check.report({
    code: "not-allowed",
    rule: field.rule,
    path,
    message: `\`${printPath(path)}\` must be one of ${choices.join(", ")}; found "${clip(value)}".`,
    hint: respelled === null ? wordHint(value, choices, field) : `Did you mean ${respelled}?`,
    ...(respelled !== null && { repair: replaceWith(respelled) }),
  });
}

/** Words of other formats for how work ended or how bad something is, which say more or less than a word of this one. */
const NEARLY_THE_SAME: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:done|finished|completed?|ok)$/i, ["completed", "complete", "success", "PASS"]],
  [/^partial(?:[ _-]?(?:plus|minus)|ly[ _-]\w+)$/i, ["partial"]],
  [/^error$/i, ["failed", "failure", "FAIL"]],
  [/^(?:urgent|critical|severe|blocker)$/i, ["high"]],
];

function wordHint(value: string, choices: readonly string[], field: Field): string {
  const words = NEARLY_THE_SAME.find(([pattern]) => pattern.test(value))?.[1] ?? [];
  const meant = words.find((word) => choices.includes(word));
  if (meant !== undefined) return `Did you mean ${meant}? It may say more or less than that, so you have to decide.`;
  const near = nearestWord(value, choices);
  return near === null ? field.about : `Did you mean ${near}?`;
}

function replaceWith(value: string) {
  return { kind: "replace", title: `Write ${value}`, value } as const;
}

function notFormatted(value: string, shape: TextShape, check: DocumentCheck, depth: number, field: Field): void {
  if (shape.format !== undefined && isTemplate(value, shape.format)) {
    unfilled(check, depth, field, value);
    return;
  }
  const path = check.path(depth);
  if (value.trim() === "") {
    blank(check, depth, field);
    return;
  }
  const message = `\`${printPath(path)}\` must be ${shape.format?.description}; found "${clip(value)}".`;
  check.report({ code: "bad-format", rule: field.rule, path, message, hint: `For example: ${shape.format?.example}` });
}

function tooLong(value: string, shape: TextShape, check: DocumentCheck, depth: number, field: Field): void {
  const path = check.path(depth);
  check.report({
    code: "bad-format",
    rule: field.rule,
    path,
    message: `\`${printPath(path)}\` has ${value.length} characters.`,
    hint: `At most ${shape.maxLength} are allowed.`,
  });
}

function notMatched(value: string, check: DocumentCheck, depth: number, field: Field): void {
  const path = check.path(depth);
  const message = `\`${printPath(path)}\` cannot be "${clip(value)}".`;
  check.report({ code: "bad-format", rule: field.rule, path, message, hint: field.about });
}

function blank(check: DocumentCheck, depth: number, field: Field): void {
  const path = check.path(depth);
  check.report({
    code: "missing-field",
    rule: field.rule,
    path,
    message: `\`${printPath(path)}\` is empty.`,
    hint: field.about,
  });
}

export function unfilled(check: DocumentCheck, depth: number, field: Field, value: string): void {
  const path = check.path(depth);
  const message =
    value === GAP
      ? `\`${printPath(path)}\` is a gap: the notes it was migrated from do not state it.`
      : `\`${printPath(path)}\` still holds the template's text "${clip(value)}": the template was never filled in.`;
  check.report({
    code: "unfilled-template",
    rule: field.rule,
    severity: "error",
    path,
    message,
    hint: `Replace it by the real value. ${field.about}`,
  });
}

/** A number with more digits than a double keeps would come back changed. */
export function unsafeNumber(value: number, check: DocumentCheck, depth: number): void {
  const path = check.path(depth);
  const message = `\`${printPath(path)}\` holds a number with more digits than can be kept exactly (read as ${value}).`;
  const repair = { kind: "quote", title: "Quote the number" } as const;
  check.report({
    code: "unsafe-number",
    rule: null,
    severity: "error",
    path,
    message,
    hint: "Put it in quotes: identifiers are text.",
    repair,
  });
}

export function wrongNumber(
  value: number,
  shape: NumberShape,
  check: DocumentCheck,
  depth: number,
  field: Field,
): void {
  const path = check.path(depth);
  if (shape.integer === true && !Number.isInteger(value)) {
    check.report({
      code: "bad-format",
      rule: field.rule,
      path,
      message: `\`${printPath(path)}\` must be a whole number; found ${value}.`,
      hint: field.about,
    });
  } else if (value < (shape.minimum ?? -Infinity) || value > (shape.maximum ?? Infinity)) {
    const message = `\`${printPath(path)}\` must be ${bounds(shape)}; found ${value}.`;
    check.report({ code: "bad-format", rule: field.rule, path, message, hint: field.about });
  }
}

function bounds(shape: NumberShape): string {
  if (shape.maximum === undefined) return `${shape.minimum} or more`;
  if (shape.minimum === shape.maximum) return String(shape.maximum);
  return shape.minimum === undefined ? `at most ${shape.maximum}` : `between ${shape.minimum} and ${shape.maximum}`;
}

export function missingField(key: string, field: Field, check: DocumentCheck, depth: number, record: JsonRecord): void {
  const path = [...check.path(depth), key];
  if (field.default !== undefined) {
    const message = `\`${printPath(path)}\` is missing; it was read as ${JSON.stringify(field.default)}.`;
    const repair = {
      kind: "insert",
      title: `Add ${key}: ${JSON.stringify(field.default)}`,
      key,
      value: field.default,
    } as const;
    check.report({
      code: "defaulted",
      rule: field.rule,
      severity: "warning",
      path: check.path(depth),
      lacks: [path],
      message,
      hint: field.about,
      repair,
    });
    return;
  }
  const lower = key.toLowerCase();
  const other = Object.keys(record).find(
    (candidate) => candidate.length === key.length && candidate.toLowerCase() === lower,
  );
  check.report({
    code: "missing-field",
    rule: field.rule,
    path: check.path(depth),
    atKey: true,
    lacks: [path],
    message: `\`${printPath(path)}\` is missing.`,
    hint:
      other === undefined
        ? (asElement(key, record) ?? field.about)
        : `Here it is called \`${clip(other)}\`: write it \`${key}\`.`,
    ...(field.missing !== undefined && { severity: field.missing }),
  });
}

/** In XML: an attribute that is written as an element. */
function asElement(key: string, record: JsonRecord): string | null {
  const name = key.slice(1);
  return key.startsWith("@") && record[name] !== undefined
    ? `Here it is the element <${name}>: write it as an attribute, ${name}="...".`
    : null;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return value === null ? "null" : "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return describeRecord(value as JsonRecord);
  return typeof value === "string" ? `the text "${clip(value)}"` : `${typeof value} ${shown(value)}`;
}

function describeRecord(value: JsonRecord): string {
  return isPrintedXml(value) ? clip(value["#xml"]) : "a record";
}

/** Another element than the one that every item of a list is. */
export function otherElement(
  { "#xml": printed }: PrintedXml,
  element: string,
  check: DocumentCheck,
  depth: number,
  field: Field,
): void {
  const path = check.path(depth);
  const found = /^<([^\s/>]+)/.exec(printed)?.[1] ?? "";
  check.nodes++;
  check.report({
    code: "wrong-type",
    rule: field.rule,
    path,
    atKey: true,
    message: `\`${printPath(path.slice(0, -1))}\` holds <${element}> elements; found <${clip(found)}>.`,
    hint: isNearName(found, element)
      ? `Write <${element}>.`
      : `Each entry of the list is one <${element}>. ${field.about}`,
  });
}

function isNearName(found: string, element: string): boolean {
  return nearestWord(found, [element]) !== null;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
