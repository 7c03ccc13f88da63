import { appendFileSync } from "node:fs";
import { AppError } from "../shared/app-error.ts";
import { reason } from "./read-input.ts";
import type { Terminal } from "./terminal.ts";

/** Adds to what a job of CI shows when it is over, after what stands there. False where there is no such place. */
export function appendSummary({ summaryFile }: Terminal, markdown: string): boolean {
  if (summaryFile === null) return false;
  try {
    appendFileSync(summaryFile, `${markdown}\n`);
    return true;
  } catch (error) {
    throw new AppError(
      "cannot-write",
      `The summary of the job cannot be written: ${reason(error)}.`,
      "GITHUB_STEP_SUMMARY names a file that can be appended to.",
    );
  }
}

/** GitHub takes at most 1 MiB from a step, and nothing of what is larger. */
export const LONGEST_SUMMARY = 1_000_000;
