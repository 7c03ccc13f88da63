import type { AuditedLetter, AuditedRun, AuditedText, AuditedWorkflow } from "../ports/log-snapshot.ts";
import { entriesIn } from "./count-entries.ts";
import type { Findings } from "./findings.ts";
import { hashOfText } from "./hash-chain.ts";
import { markOfLetter, markOfRun, sealOf } from "./seal.ts";

/** Its entries are from before there were seals. */
export const UNSEALED = "unsealed";

/** What is wrong with the row of a run; null when it is what its entries have left. */
export function whyRunChanged(run: AuditedRun): string | null {
  const { last, sequence, emptied, mark } = run;
  const entries = last?.sequence ?? 0;
  if (mark !== null && mark !== markOfRun(run)) return "its name, workflow, brief or beginning was changed";
  if (sequence !== entries) return `it should have ${entriesIn(sequence)}, and its last one is ${entries}`;
  if (emptied < 0 || emptied > sequence) return "how far it was pruned was changed";
  if (run.dueAt !== dueAt(run)) return "it has letters or effects waiting and is not due, or is due for none";
  return last === null ? whyNotNew(run) : whyNotSealed(run, last.seal);
}

function dueAt({ effects, hasLetters, wakeAt }: AuditedRun): number | null {
  return effects.length > 0 || hasLetters ? 0 : wakeAt;
}

function whyNotSealed(run: AuditedRun, seal: string | null): string | null {
  if (seal === null) return UNSEALED;
  return seal === sealOf(run) ? null : "its status, summary, times or effects are not what its last entry sealed";
}

function whyNotNew({ status, finished, summary, updatedAt, createdAt, wakeAt, effects }: AuditedRun): string | null {
  const isNew = status === "running" && !finished && summary === "{}" && wakeAt === null;
  const isUntouched = isNew && updatedAt === createdAt && effects.length === 0;
  return isUntouched ? null : "it has no entries, but something has happened in it";
}

export function checkLetter({ number, run, id, input, mark }: AuditedLetter, findings: Findings): void {
  const where = { row: `letter ${number}`, run };
  if (run === null) findings.add("letter-changed", `letter ${id} belongs to no run`, where);
  else if (mark !== null && mark !== markOfLetter(number, run, id, input))
    findings.add("letter-changed", `letter ${id} is not what was posted`, where);
}

/** What stands in the place of the hash of a text that was pruned: a row that shows nothing must not be free to say. */
export function nameOfEmptied(number: number): string {
  return number.toString(16).padStart(16, "0");
}

export function checkText({ number, hash, text, isEmptied }: AuditedText, findings: Findings): void {
  if (isEmptied && hash === nameOfEmptied(number)) return;
  if (text === null || hashOfText(text) !== hash)
    findings.add("text-changed", `text ${hash.slice(0, 12)} was changed`, { row: `text ${number}` });
}

export function checkWorkflow({ number, hash, definition }: AuditedWorkflow, findings: Findings): void {
  if (hashOfText(definition) !== hash)
    findings.add("workflow-changed", `workflow ${hash.slice(0, 12)} was changed`, { row: `workflow ${number}` });
}
