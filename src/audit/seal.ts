import type { AuditedRun } from "../ports/log-snapshot.ts";
import { hashOfText } from "./hash-chain.ts";

/** What a commit leaves of a run beside its entries, and what is believed without reading them. */
export type SealedRun = Pick<
  AuditedRun,
  | "name"
  | "workflow"
  | "brief"
  | "createdAt"
  | "status"
  | "finished"
  | "updatedAt"
  | "sequence"
  | "wakeAt"
  | "summary"
  | "effects"
>;

/** Stands in the last entry of a commit and so in the chain: a row that was edited no longer fits its seal. */
export function sealOf(run: SealedRun): string {
  const { name, workflow, brief, createdAt, status, finished, updatedAt, sequence, wakeAt, summary } = run;
  const effects = run.effects.map(({ number, key, kind, data }) => [number, key, kind, data]);
  return hashOfText(
    JSON.stringify([name, workflow, brief, createdAt, status, finished, updatedAt, sequence, wakeAt, summary, effects]),
  );
}

/**
 * Of a run that has no entry yet, and of a letter. Whoever can count can write a mark: it shows damage and careless
 * edits, not forgery. What they are about comes under a seal as soon as the run takes it in.
 */
export function markOfRun(run: Pick<AuditedRun, "run" | "name" | "workflow" | "brief" | "createdAt">): string {
  return hashOfText(JSON.stringify([run.run, run.name, run.workflow, run.brief, run.createdAt]));
}

/** With its number, for letters are taken in their order. */
export function markOfLetter(number: number, run: string, id: string, input: string | null): string {
  return hashOfText(JSON.stringify([number, run, id, input]));
}
