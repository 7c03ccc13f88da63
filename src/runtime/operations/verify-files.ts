import type { Claim, Judgement } from "../../evidence/claim.ts";
import { judgeClaims } from "../../evidence/judge-claims.ts";
import { listClaims } from "../../evidence/list-claims.ts";
import { observationsNeeded } from "../../evidence/observations-needed.ts";
import type { ClaimAnswer, ClaimPolicy } from "../../evidence/policy.ts";
import type { Evidence, Observations } from "../../evidence/observations.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { locateHandoff } from "../../protocol/locate-handoff.ts";
import type { ReadHandoff, ReadOptions } from "../../protocol/reading.ts";
import { AppError } from "../../shared/app-error.ts";
import { LineTable, type TextRange } from "../../shared/line-table.ts";
import type { VerifyContext } from "../engine.ts";
import { type VerifyBase, fromRoot, surveyChanges } from "./survey-changes.ts";
import { type GateOrder, type GateRun, runGates } from "./verify-gates.ts";

export { CLAIM_TRAITS, type ClaimKind, type Verdict } from "../../evidence/claim.ts";
export { explainRefuted } from "../../evidence/policy.ts";
export { type VerifyBase, changedFiles, fromRoot } from "./survey-changes.ts";

/** A text with handoffs to verify. */
export interface HandoffText {
  /** The path to show. */
  readonly path: string;
  /** Absolute path of the file; null for a text that is not from a file. */
  readonly place: string | null;
  readonly text: string;
  /** The options with which it was parsed. */
  readonly options: ReadOptions;
  readonly handoffs: readonly ReadHandoff[];
}

interface VerifyOrder extends GateOrder {
  readonly files: readonly HandoffText[];
  /** The revision that the operator names; null to determine where the work began. */
  readonly base: string | null;
  /** The policy by the author that a handoff names. */
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
  /** The author that the handoff names. */
  readonly from: string | null;
  readonly claims: readonly PlacedJudgement[];
}

export interface PlacedJudgement extends Judgement {
  /** The answer of the policy to a refuted claim of this kind. */
  readonly answer: ClaimAnswer;
  /** Its place in the text. */
  readonly range: TextRange;
}

/** Judges every claim of these handoffs against the present repository, without a run. */
export async function verifyFiles(verifyContext: VerifyContext, order: VerifyOrder): Promise<Verification> {
  const subjects = subjectsOf(order.files);
  const named = fromRoot(order.files, verifyContext.root);
  const { base, observations, own } = await surveyChanges(
    verifyContext,
    order.base,
    named,
    observationsNeeded(subjects.flatMap(claimsOf)),
  );
  const gates = await runGates(verifyContext, order);
  if (order.signal.aborted) throw new AppError("interrupted", "The verification was interrupted.", "Run it again.");
  const evidence: Evidence = {
    ...sceneOf(observations, own),
    gates: gates.filter(({ hasAnswered }) => hasAnswered),
    now: verifyContext.ports.clock.now(),
  };
  return { base, gates, handoffs: subjects.map((subject) => judge(subject, evidence, order)) };
}

interface Subject {
  readonly file: HandoffText;
  readonly read: ReadHandoff;
  readonly handoff: Handoff;
  readonly claims: readonly Claim[];
}

function claimsOf({ claims }: Subject): readonly Claim[] {
  return claims;
}

function subjectsOf(files: readonly HandoffText[]): Subject[] {
  const subjects = files.flatMap((file) =>
    file.handoffs.flatMap((read) => {
      const { handoff } = read;
      return handoff === null ? [] : [{ file, read, handoff, claims: listClaims(handoff) }];
    }),
  );
  return shareDeclarations(subjects);
}

/** A file that one of the handoffs declares need not be declared by the others. */
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

function sceneOf(observations: Observations, own: readonly string[]): Omit<Evidence, "gates" | "now"> {
  return { observations, ownFiles: own, commands: [], ledger: null, step: null, port: null };
}

function judge({ file, read, handoff, claims }: Subject, evidence: Evidence, order: VerifyOrder): VerifiedHandoff {
  const from = handoff.from ?? null;
  const policy = order.policy(from);
  const lines = new LineTable(file.text);
  const locate = locateHandoff(file.text, read, file.options);
  const judged = judgeClaims(claims, evidence).map((judgement, at) => {
    const span = locate(claims[at]?.path ?? []);
    return { ...judgement, answer: policy[judgement.kind], range: lines.range(span.start, span.end) };
  });
  return { path: file.path, dialect: handoff.dialect, from, claims: judged };
}
