import { readHandoffs } from "../../read-handoff.ts";
import { dialectOf } from "../described-dialect.ts";
import type { FormatModel } from "../format-model.ts";
import type { SampleFile } from "./sample-documents.ts";

/** What became of one file when it was read with a format. */
export interface TriedFile {
  readonly file: number;
  readonly isAccepted: boolean;
  /** The first error, with its line; null when it is accepted. */
  readonly why: string | null;
}

/** Reads files as commands do, with the format beside the five: each is recognised as it and valid, or not accepted. */
export function tryFormat(model: FormatModel, files: readonly SampleFile[]): TriedFile[] {
  const dialect = dialectOf(model);
  return files.map(({ path, text }, file) => {
    const reading = readHandoffs(text, { path, formats: [dialect], prefer: dialect.name });
    if (reading.valid && reading.dialect === dialect.name) return { file, isAccepted: true, why: null };
    const error = reading.diagnostics.find(({ severity }) => severity === "error");
    if (error !== undefined)
      return { file, isAccepted: false, why: `line ${error.range.start.line}: ${error.message}` };
    const why = reading.dialect === null ? "It is not recognised." : `It is recognised as ${reading.dialect}.`;
    return { file, isAccepted: false, why };
  });
}
