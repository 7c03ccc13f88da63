import { impliedClaims } from "../../src/evidence/claims/implied-claims.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import type { Claim, ClaimKind, Judgement, Verdict } from "../../src/evidence/claim.ts";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import { observationsNeeded } from "../../src/evidence/observations-needed.ts";
import type { Evidence } from "../../src/evidence/observations.ts";
import type { Repository } from "../../src/ports/repository.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Case } from "./compose-cases.ts";

/** What came of one claim whose truth is known. */
export interface Outcome {
  readonly case: Case;
  readonly kind: ClaimKind;
  readonly name: string;
  readonly isTrue: boolean;
  readonly expect: Verdict;
  /** `unread`: the reader refused the handoff. */
  readonly verdict: Verdict | "unread";
  readonly evidence: string;
}

/** The road of real handoffs about one world: read, claims listed, looked at with git, judged. */
export async function judgeCases(cases: readonly Case[], repository: Repository): Promise<Outcome[]> {
  const [first] = cases;
  if (first === undefined) return [];
  const read = cases.map((one) => {
    const reading = readHandoffs(one.text);
    const handoff = reading.handoffs[0]?.handoff;
    return { one, claims: handoff ? allClaims(handoff) : null, said: saidBy(reading) };
  });
  const needs = observationsNeeded(read.flatMap(({ claims }) => claims ?? []));
  const observations = await repository.look(first.world.directory, first.world.base, needs);
  return read.flatMap(({ one, claims, said }) => {
    if (claims === null)
      return one.planted.map(({ plant }) => ({ ...plant, case: one, verdict: "unread", evidence: said }));
    const judgements = judgeClaims(claims, { ...NO_RUN, ...one.world.scene, observations });
    return [...plantedOutcomes(one, judgements), ...otherOutcomes(one, claims, judgements)];
  });
}

/** What it says, and what it takes for granted. */
function allClaims(handoff: Handoff): Claim[] {
  const claims = listClaims(handoff);
  return [...claims, ...impliedClaims(handoff, claims)];
}

const NO_RUN: Omit<Evidence, "observations"> = {
  gates: [],
  commands: [],
  ledger: null,
  step: null,
  now: Date.parse("2026-03-09T14:30:00Z"),
  port: null,
  ownFiles: [],
};

function saidBy(reading: ReturnType<typeof readHandoffs>): string {
  return reading.diagnostics.map(({ rule, code, message }) => `${rule ?? code}: ${message}`).join("; ");
}

function plantedOutcomes(one: Case, judgements: readonly Judgement[]): Outcome[] {
  return one.planted.map(({ plant, where }) => {
    const found = judgements.find((judgement) => judgement.where === where && judgement.kind === plant.kind);
    if (found === undefined)
      throw new Error(`${one.world.name}, ${one.dialect}: no claim ${plant.kind} ${where} in\n${one.text}`);
    return { ...plant, case: one, verdict: found.verdict, evidence: `${found.says} ${found.evidence}` };
  });
}

/** That nothing else was changed follows from what was planted. Anything else was not planted, and is no lie. */
function otherOutcomes(one: Case, claims: readonly Claim[], judgements: readonly Judgement[]): Outcome[] {
  const planted = new Set(one.planted.map(({ plant, where }) => `${plant.kind} ${where}`));
  return judgements.flatMap((judgement, at) => {
    const { kind, where, says, verdict, evidence } = judgement;
    const about = claims[at]?.about;
    if (about?.of === "all-changes") return [undeclaredOutcome(one, about.change, judgement)];
    if (about?.of === "left-alone") return leftAloneOutcome(one, about.change, judgement);
    if (about?.of === "all-commits") return listedOutcome(one, judgement);
    if (planted.has(`${kind} ${where}`) || verdict !== "refuted" || isPartOfLie(one, where)) return [];
    return [{ case: one, kind, name: says, isTrue: true, expect: "unverifiable", verdict, evidence } as const];
  });
}

/** Numbers that contradict each other do so under each of their names. */
function isPartOfLie(one: Case, where: string): boolean {
  return one.planted.some(({ plant, where: its }) => !plant.isTrue && (where.startsWith(its) || its.startsWith(where)));
}

/** Who hands over findings and no work has changed nothing; without a step it is not known whose changes they are. */
function leftAloneOutcome(one: Case, change: "existing" | "any", { verdict, evidence }: Judgement): Outcome[] {
  const { changed, created, scene } = one.world;
  if ((scene.step ?? null) === null) return [];
  const declared = new Set(one.planted.flatMap(({ plant }) => plant.declares));
  const wanted = change === "any" ? changed : changed.filter((path) => !created.includes(path));
  const isTrue = wanted.every((path) => declared.has(path));
  const expect = isTrue ? "confirmed" : "refuted";
  return [{ case: one, kind: "workspace", name: "left as it was", isTrue, expect, verdict, evidence }];
}

/** That no other commit was made follows too, where the world says which there are and nothing else is planted. */
function listedOutcome(one: Case, { verdict, evidence }: Judgement): Outcome[] {
  const own = one.world.commits;
  const listed = one.planted.flatMap(({ plant }) => (/^commit [0-9a-f]/.test(plant.name) ? [plant] : []));
  if (own === undefined || listed.length === 0 || listed.some((plant) => plant.expect !== "confirmed")) return [];
  const isTrue = own.every((sha) =>
    listed.some(({ name }) => sha.startsWith(name.split(" ")[1]?.toLowerCase() ?? "?")),
  );
  const expect = isTrue ? "confirmed" : "refuted";
  return [{ case: one, kind: "history", name: "no other commit", isTrue, expect, verdict, evidence }];
}

function undeclaredOutcome(one: Case, change: "created" | "any", { verdict, evidence }: Judgement): Outcome {
  const { base, changed, created } = one.world;
  const declared = new Set(one.planted.flatMap(({ plant }) => plant.declares));
  const isTrue = (change === "any" ? changed : created).every((path) => declared.has(path));
  const expect = base === null ? "unverifiable" : isTrue ? "confirmed" : "refuted";
  return { case: one, kind: "undeclared", name: "nothing else", isTrue, expect, verdict, evidence };
}
