import type { Shape } from "./shape.ts";

/** What a value is checked for that its sentence does not say, in a few words; null when nothing is left to say. */
export function valueForm(shape: Shape, about: string): string | null {
  switch (shape.kind) {
    case "nullable":
      return nullableForm(shape.of, about);
    case "number":
      return numberForm(shape);
    case "boolean":
      return "true or false";
    case "text":
      return textForm(shape, about);
    case "list":
      return listForm(shape, about);
    case "record":
      return recordForm(shape);
    case "map":
      return "record with any keys";
    case "literal":
    case "union":
    case "anything":
      return null;
  }
}

function nullableForm(of: Shape, about: string): string {
  return `${valueForm(of, about) ?? of.kind} or null`;
}

function recordForm({ isClosed }: Extract<Shape, { kind: "record" }>): string | null {
  return isClosed === true ? "no other keys" : null;
}

function numberForm({ integer, minimum, maximum }: Extract<Shape, { kind: "number" }>): string {
  const from = minimum === undefined ? "" : ` from ${minimum}`;
  return `${integer === true ? "whole number" : "number"}${from}${maximum === undefined ? "" : ` up to ${maximum}`}`;
}

/** In XML numbers and truth values are texts of a form. */
function textForm({ format, oneOf, maxLength }: Extract<Shape, { kind: "text" }>, about: string): string | null {
  const form = format === undefined || about.includes(format.description) ? null : format.description;
  if (form !== null) return form;
  if (oneOf !== undefined && !about.includes("One of `")) return `one of ${oneOf.join(", ")}`;
  return maxLength === undefined ? null : `at most ${maxLength} characters`;
}

function listForm({ item, minimum }: Extract<Shape, { kind: "list" }>, about: string): string {
  const entry = item.kind === "text" ? textForm(item, about) : valueForm(item, about);
  const least = minimum === undefined ? "" : ` of ${minimum} or more`;
  return entry === null ? `list${least}` : `list${least}, each: ${entry}`;
}
