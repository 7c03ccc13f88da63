import type { Claim, Judgement } from "../../evidence/claim.ts";
import { judgeClaims } from "../../evidence/judge-claims.ts";
import { listClaims } from "../../evidence/list-claims.ts";
import { needsOf } from "../../evidence/needs.ts";
import type { ClaimAnswer, ClaimPolicy } from "../../evidence/policy.ts";
import type { Scene, Sightings } from "../../evidence/sightings.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import type { ReadHandoff } from "../../protocol/reading.ts";
import { AppError } from "../../shared/app-error.ts";
import { LineTable, type TextRange } from "../../shared/line-table.ts";
import type { Inspection } from "../inspection.ts";
import { type ClaimPlaces, claimPlaces } from "./locate-claim.ts";
import { type VerifyBase, fromRoot, survey } from "./survey-changes.ts";
import { type GateOrder, type GateRun, runGates } from "./verify-gates.ts";

export type { ClaimKind, Judgement, Verdict } from "../../evidence/claim.ts";
export { type ClaimAnswer, explainRefuted } from "../../evidence/policy.ts";
export { type VerifyBase, changedFiles, fromRoot } from "./survey-changes.ts";

/** A text whose handoffs are to be verified. */
export interface HandoffText {
  /** As it is shown. */
  readonly path: string;
  /** Where the file is, absolute; null for a text that came in another way. */
  readonly place: string | null;
  readonly text: string;
  readonly handoffs: readonly ReadHandoff[];
}

export interface VerifyOrder extends GateOrder {
  readonly files: readonly HandoffText[];
  /** The revision that the operator names; null to find out where the work began. */
  readonly base: string | null;
  /** By the agent that a handoff says it is from. */
  readonly policy: (author: string | null) => ClaimPolicy;
}

export interface Verification {
  readonly base: VerifyBase;
  readonly handoffs: readonly VerifiedHandoff[];
  readonly gates: readonly GateRun[];
}

export interface VerifiedHandoff {
  readonly path: string;
  readonly dialect: string;
  /** As it says itself. */
  readonly from: string | null;
  readonly claims: readonly PlacedJudgement[];
}

export interface PlacedJudgement extends Judgement {
  /** What the policy does about it when it is refuted. */
  readonly answer: ClaimAnswer;
  /** Where the text says it; the beginning of the handoff where that cannot be told. */
  readonly range: TextRange;
}

/** Judges every claim of these handoffs against the repository as it is now, without a run. */
export async function verifyFiles(inspection: Inspection, order: VerifyOrder): Promise<Verification> {
  const subjects = subjectsOf(order.files);
  const named = fromRoot(order.files, inspection.root);
  const { base, sightings, own } = await survey(inspection, order.base, named, needsOf(subjects.flatMap(claimsOf)));
  const gates = await runGates(inspection, order);
  if (order.signal.aborted) throw new AppError("interrupted", "The verification was interrupted.", "Run it again.");
  const scene: Scene = {
    ...sceneOf(sightings, own),
    gates: gates.filter(({ hasAnswered }) => hasAnswered),
    now: inspection.machine.clock.now(),
  };
  return { base, gates, handoffs: subjects.map((subject) => judge(subject, scene, order)) };
}

interface Subject {
  readonly file: HandoffText;
  readonly handoff: Handoff;
  readonly start: number;
  readonly end: number;
  readonly claims: readonly Claim[];
}

function claimsOf({ claims }: Subject): readonly Claim[] {
  return claims;
}

function subjectsOf(files: readonly HandoffText[]): Subject[] {
  const subjects = files.flatMap((file) =>
    file.handoffs.flatMap(({ handoff, start, end }) =>
      handoff === null ? [] : [{ file, handoff, start, end, claims: listClaims(handoff) }],
    ),
  );
  return shareDeclarations(subjects);
}

/** Of handoffs that are verified together, none has to list what another one has listed. */
function shareDeclarations(subjects: readonly Subject[]): Subject[] {
  if (subjects.length < 2) return [...subjects];
  const lists = subjects.flatMap(({ claims }) =>
    claims.flatMap(({ about }) => (about.of === "all-changes" ? [about] : [])),
  );
  const declared = [...new Set(lists.flatMap((about) => about.declared))];
  const folders = [...new Set(lists.flatMap((about) => about.folders ?? []))];
  return subjects.map((subject) => ({
    ...subject,
    claims: subject.claims.map((claim) =>
      claim.about.of === "all-changes" ? { ...claim, about: { ...claim.about, declared, folders } } : claim,
    ),
  }));
}

function sceneOf(sightings: Sightings, own: readonly string[]): Omit<Scene, "gates" | "now"> {
  return { sightings, ownFiles: own, commands: [], ledger: null, step: null, port: null };
}

function judge({ file, handoff, start, end, claims }: Subject, scene: Scene, order: VerifyOrder): VerifiedHandoff {
  const from = handoff.from ?? null;
  const policy = order.policy(from);
  const lines = new LineTable(file.text);
  const places: ClaimPlaces = claimPlaces(file.text, start, end);
  const judged = judgeClaims(claims, scene).map((judgement, at) => {
    const claim = claims[at];
    const span = claim === undefined ? { start, end: start } : places(claim);
    return { ...judgement, answer: policy[judgement.kind], range: lines.range(span.start, span.end) };
  });
  return { path: file.path, dialect: handoff.dialect, from, claims: judged };
}
