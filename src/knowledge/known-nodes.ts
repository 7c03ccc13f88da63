import type { Fact } from "./fact.ts";
import { type GraphTask, isNameOf, summaryOf, taskSummary } from "./graph-file.ts";
import type { ImportedFact, ImportedTask } from "./import-graph.ts";
import { oneLine } from "./learn-facts.ts";

/**
 * Whether a node of a file is one that we wrote ourselves, or could have: its id is that of something known here,
 * and so are its words, as far as a summary has them. To learn it again would make a second witness of the first.
 */
export function isKnownFact({ fact }: ImportedFact, known: Fact | null, redact: (text: string) => string): boolean {
  return known !== null && known.kind === fact.kind && oneLine(redact(summaryOf(known.text))) === fact.text;
}

export function knownTaskTest(
  tasks: readonly GraphTask[],
  redact: (text: string) => string,
): (task: ImportedTask) => boolean {
  const bySummary = new Map<string, GraphTask[]>();
  for (const task of tasks) {
    const summary = oneLine(redact(taskSummary(task))) ?? "";
    const same = bySummary.get(summary);
    if (same === undefined) bySummary.set(summary, [task]);
    else same.push(task);
  }
  return ({ id, name }) => (bySummary.get(name) ?? []).some((task) => isNameOf(id, task));
}
