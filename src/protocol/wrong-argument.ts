import { AppError } from "../shared/app-error.ts";
import { DIALECT_NAMES, type DialectName } from "./handoff-words.ts";

/** Callers without types may pass a buffer or an unknown dialect: they get an error that says so. */
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
