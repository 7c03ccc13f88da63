import { LineTable } from "../shared/line-table.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { ReadOptions } from "../protocol/reading.ts";
import type { FoundFile } from "./find-files.ts";
import type { FileReport } from "./formats/report.ts";
import { type Refusal, readInput } from "./read-input.ts";
import type { Terminal } from "./terminal.ts";

const NOT_A_HANDOFF = new Set(["no-handoff", "empty", "binary", "wrong-encoding", "too-large"]);

/** Reads one file and says what is wrong with it. Files met by chance that neither hold nor promise a handoff are skipped. */
export function checkFile(
  file: FoundFile,
  options: ReadOptions & { maxBytes: number },
  terminal: Terminal,
): FileReport {
  const path = shownPath(file.path);
  const input = readInput(file.path, options.maxBytes, terminal);
  if (input.refused !== null)
    return refusedReport(path, file, input.refused, readHandoffs(input.seen, { ...options, path }).dialect);
  const reading = readHandoffs(input.text, file.path === "-" ? options : { ...options, path });
  const { dialect, valid, diagnostics } = reading;
  const skipped =
    !isAskedFor(file) &&
    dialect === null &&
    diagnostics.every((diagnostic) => NOT_A_HANDOFF.has(diagnostic.code) || diagnostic.code === "wrong-container");
  return { path, dialect, valid, skipped, handoffs: reading.handoffs.length, diagnostics, text: input.text };
}

/** One wrong byte must not make a handoff a file like any other: what it was meant to be is seen all the same. */
function refusedReport(path: string, file: FoundFile, refusal: Refusal, dialect: FileReport["dialect"]): FileReport {
  const range = new LineTable("").range(0, 0);
  const diagnostic = { ...refusal, rule: null, severity: "error", range, fix: null } as const;
  const skipped = !isAskedFor(file) && dialect === null;
  return { path, dialect, valid: false, skipped, handoffs: 0, diagnostics: [diagnostic], text: "" };
}

/** By its name on the command line, or by a name that says that it is a handoff: an empty one must not pass unseen. */
export function isAskedFor({ path, named }: FoundFile): boolean {
  return named || /(?:^|[/\\])handoff-[^/\\]+\.json$/i.test(path);
}

export function shownPath(path: string): string {
  return path === "-" ? "<stdin>" : path.replaceAll("\\", "/").replace(/^\.\//, "");
}
