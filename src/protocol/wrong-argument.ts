import { AppError } from "../shared/app-error.ts";
import { DIALECT_NAMES, type DialectName } from "./handoff-words.ts";

/** Callers without types hand over a buffer or a word of their own: they are told so, and not by what breaks first. */
export function ensureText(text: unknown): asserts text is string {
  if (typeof text !== "string")
    throw new AppError("wrong-usage", "The text must be a string.", "Decode a buffer first, as UTF-8.");
}

export function ensureDialect(name: unknown): asserts name is DialectName {
  if (!DIALECT_NAMES.some((known) => known === name))
    throw new AppError(
      "wrong-usage",
      `There is no dialect ${String(name)}.`,
      `Name one of ${DIALECT_NAMES.join(", ")}.`,
    );
}
