import { LineTable } from "../shared/line-table.ts";
import { A2A, writeA2aTask } from "./a2a-task.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { type Formats, dialectNamed } from "./dialects/registry.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import { readHandoffs } from "./read-handoff.ts";
import { writeJson } from "./syntax/json.ts";
import { type WriteNote, type WriteOptions, type Written, writeHandoff } from "./write-handoff.ts";

interface Conversion {
  readonly text: string;
  /** What is lost, carried along or filled in, and what the target demands and nothing could supply. */
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the target accepts the text. */
  readonly isValid: boolean;
}

/** The handoffs of one text in another dialect, or as tasks of A2A, with everything that is lost on the way. */
export function convertHandoffs(
  handoffs: readonly Handoff[],
  target: DialectName,
  options: WriteOptions & { readonly formats: Formats },
): Conversion {
  const written = handoffs.map((handoff) => writeFor(target, handoff, options));
  const text = joined(written, target);
  const notes = [...written.flatMap((result) => result.notes), ...lostBefore(handoffs.length, target, options.formats)];
  const errors = remainingErrors(text, target, options.formats);
  return { text, diagnostics: [...notes.map(noteDiagnostic), ...errors], isValid: errors.length === 0 };
}

export function writeFor(target: DialectName, handoff: Handoff, options: WriteOptions): Written {
  return target === A2A ? writeA2aTask(handoff, options) : writeHandoff(handoff, target, options);
}

/** Several tasks are a list, as JSON has it. */
function joined(written: readonly Written[], target: DialectName): string {
  if (target === A2A && written.length > 1) return writeJson(written.map(({ document }) => document));
  return written.map(({ text }) => text).join("\n");
}

/** What the target still demands and nothing could supply. */
function remainingErrors(text: string, target: DialectName, formats: Formats): Diagnostic[] {
  if (target === A2A) return [];
  return readHandoffs(text, { dialect: target, formats }).diagnostics.filter(({ severity }) => severity === "error");
}

/** In some dialects the last of several handoffs is the only one that anybody reads. */
function lostBefore(count: number, target: DialectName, formats: Formats): WriteNote[] {
  if (target === A2A || count < 2 || !dialectNamed(target, formats).lastCounts) return [];
  const message = `The text holds ${count} handoffs, and of several in ${target} only the last one counts.`;
  return [{ code: "loss", severity: "warning", part: "handoff", message }];
}

/** A note is about no place of the text. */
function noteDiagnostic({ code, severity, message }: WriteNote): Diagnostic {
  return { code, rule: null, severity, message, range: new LineTable("").range(0, 0), hint: null, fix: null };
}
