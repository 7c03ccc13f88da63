import { expect } from "vitest";
import { type Diagnostic, compareDiagnostics } from "../../src/protocol/diagnostic.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import type { TextRange } from "../../src/shared/line-table.ts";

/** What every reading promises, whatever the text. Throws the first promise that is broken. */
export function expectSound(text: string, reading: Reading): void {
  const broken = brokenPromise(text, reading);
  if (broken !== null) expect.fail(broken);
}

export function brokenPromise(text: string, reading: Reading): string | null {
  const { valid, handoffs, diagnostics } = reading;
  const hasError = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  if (valid && hasError) return "valid with an error";
  if (valid && handoffs.length === 0) return "valid without a handoff";
  if (valid && handoffs.some((read) => read.handoff === null)) return "valid with a refused handoff";
  if (!valid && diagnostics.length === 0) return "refused without a reason";
  if (handoffs.some(({ start, end }) => start < 0 || start > end || end > text.length))
    return "a block outside the text";
  return brokenDiagnostics(text, diagnostics);
}

function brokenDiagnostics(text: string, diagnostics: readonly Diagnostic[]): string | null {
  let before: Diagnostic | null = null;
  for (const diagnostic of diagnostics) {
    const { range, message, fix } = diagnostic;
    if (!isInside(text, range)) return `a range outside the text: ${JSON.stringify(diagnostic)}`;
    if (message.trim() === "") return "a diagnostic without a message";
    if (fix !== null && !fix.edits.every((edit) => isInside(text, edit.range)))
      return `an edit outside: ${JSON.stringify(fix)}`;
    if (before !== null && compareDiagnostics(before, diagnostic) > 0) return "diagnostics out of order";
    before = diagnostic;
  }
  return null;
}

function isInside(text: string, { start, end }: TextRange): boolean {
  return (
    start.offset >= 0 &&
    start.offset <= end.offset &&
    end.offset <= text.length &&
    start.line >= 1 &&
    start.column >= 1 &&
    (start.line < end.line || (start.line === end.line && start.column <= end.column))
  );
}
