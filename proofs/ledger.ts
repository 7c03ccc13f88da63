import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Proof } from "./proofs.ts";

/** One run of a proof. Broken ones stay in the ledger, too: a promise that was once broken is worth knowing of. */
export interface Row {
  readonly proof: string;
  readonly result: "held" | "broken";
  readonly count: number;
  /** What the inputs were made from: the same seed, count and commit make them again. */
  readonly seed: number;
  readonly commit: string;
  readonly ended: string;
  readonly seconds: number;
}

export const LEDGER = join(import.meta.dirname, "ledger.jsonl");

export function readLedger(text = readFileSync(LEDGER, "utf8")): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

export function appendRow(row: Row): void {
  appendFileSync(LEDGER, `${JSON.stringify(row)}\n`);
}

/** What has been seen to hold. */
export function totalOf(proof: Proof, rows: readonly Row[]): number {
  const counts = rows.filter((row) => row.proof === proof.name && row.result === "held").map(({ count }) => count);
  return proof.adds ? counts.reduce((sum, count) => sum + count, 0) : Math.max(0, ...counts);
}

/** Behind everything that was tried before, so that no input is counted twice. */
export function nextSeed(proof: Proof, rows: readonly Row[]): number {
  const ends = rows.filter((row) => row.proof === proof.name).map(({ seed, count }) => seed + count);
  return Math.max(FIRST_SEED, ...ends);
}

/** CI tries those before it. */
const FIRST_SEED = 1_000_000;
