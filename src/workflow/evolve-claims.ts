import type { Judgement, Verdict } from "../evidence/claim.ts";
import { type VerdictCounts, countVerdicts } from "../evidence/policy.ts";
import type { Step } from "./state.ts";

export const NO_CLAIMS: VerdictCounts = { confirmed: 0, refuted: 0, unverifiable: 0 };

type Claims = Pick<Step, "claims" | "settled" | "retold">;

/** The first look at a handoff: what gates will settle is known by its place. */
export function looked(judgements: readonly Judgement[]): Claims {
  const settled: Record<string, Verdict> = {};
  for (const { kind, where, verdict } of judgements) if (SETTLED.has(kind)) settled[`${kind} ${where}`] = verdict;
  const retold = judgements.filter(({ kind, verdict }) => verdict === "confirmed" && RETOLD.has(kind)).map(retoldKey);
  return { claims: countVerdicts(judgements), settled, retold: retold.slice(0, MOST_RETOLD) };
}

/** A claim counts once, with the last word on it. */
export function settle(before: Pick<Step, "claims" | "settled">, judgements: readonly Judgement[]): typeof before {
  const claims: Record<Verdict, number> = { ...before.claims };
  const settled: Record<string, Verdict> = { ...before.settled };
  for (const { kind, where, verdict } of judgements) {
    const key = `${kind} ${where}`;
    const was = settled[key];
    if (was !== undefined) claims[was]--;
    claims[verdict]++;
    settled[key] = verdict;
  }
  return { claims, settled };
}

/** Kinds that gates have a word on. */
export const SETTLED: ReadonlySet<string> = new Set(["test", "coverage", "check", "command"]);

/** Kinds of which an agent that is sent back says the same again. */
const RETOLD: ReadonlySet<string> = new Set(["file", "artifact", "commit"]);
const MOST_RETOLD = 2_000;

export function retoldKey({ kind, says }: Pick<Judgement, "kind" | "says">): string {
  return `${kind} ${says}`;
}

/** What was confirmed of an agent in handoffs that were accepted, the newest last. */
export function keepRetold(known: readonly string[] | undefined, retold: readonly string[]): readonly string[] {
  return [...new Set([...(known ?? []), ...retold])].slice(-MOST_RETOLD);
}
