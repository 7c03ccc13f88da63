import { AppError } from "../shared/app-error.ts";

/** Callers without types may pass a buffer or an unknown dialect: they get an error that says so. */
export function ensureText(text: unknown): asserts text is string {
  if (typeof text !== "string")
    throw new AppError("wrong-usage", "The text must be a string.", "Decode a buffer first, as UTF-8.");
}
