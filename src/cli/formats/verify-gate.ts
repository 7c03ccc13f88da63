import type { GateRun } from "../../runtime/operations/verify-gates.ts";

/** How a gate went, in a sentence. */
export function describeGate({ gate, outcome, passed, message, figures, output }: GateRun): string {
  const problems = (figures?.problems ?? []).join("; ");
  if (outcome === "passed") return `Gate ${gate} passed (${message}).`;
  if (passed) return `Gate ${gate} passed (${message}), but what it was to report cannot be used: ${problems}.`;
  if (outcome === "failed") return `Gate ${gate} did not pass: ${message}.`;
  const why = output.trim().split("\n", 1)[0] ?? "";
  return `Gate ${gate} has shown nothing: ${message}${why === "" ? "" : ` (${why})`}.`;
}

/** What can be done about a gate that did not pass. */
export function adviseGate({ outcome, passed, hasAnswered, missing }: GateRun): string {
  if (passed) return "Name the file that the gate really writes, by its path from the root of the repository.";
  if (outcome === "unusable")
    return "Check the command: a program and its arguments, as they are started without a shell.";
  return hasAnswered ? cleanCopy(missing) : "A gate of a workflow file can have limits of its own.";
}

/** Many a gate fails only because something that git ignores is not there. */
function cleanCopy(missing: readonly string[]): string {
  if (missing.length === 0) return "It ran in a clean copy of the files.";
  const more = missing.length > MOST_MISSING ? ` and ${missing.length - MOST_MISSING} more` : "";
  const names = missing.slice(0, MOST_MISSING).join(", ");
  return `It ran in a clean copy, without what git ignores: ${names}${more}. --bring PATH brings a folder along.`;
}

const MOST_MISSING = 8;

/** The end of what it printed, and before that, if it is not part of it, the first line that speaks of an error. */
export function shownOutput(output: string): string[] {
  const lines = output
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}\u2026` : line));
  const end = lines.slice(-SHOWN_LINES);
  const first = lines.slice(0, -SHOWN_LINES).find((line) => ERROR.test(line));
  return first === undefined ? end : [first, "...", ...end];
}

const SHOWN_LINES = 20;
const LONGEST_LINE = 300;
const ERROR = /\berror\b|\bfail(?:ed|ure)?\b|\bnot ok\b|Error:|[✖✗×]/i;
