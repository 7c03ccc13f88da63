import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import type { Claim, Judgement } from "../../evidence/claim.ts";
import { judgeClaims } from "../../evidence/judge-claims.ts";
import { listClaims } from "../../evidence/list-claims.ts";
import { needsOf } from "../../evidence/needs.ts";
import type { ClaimAnswer, ClaimPolicy } from "../../evidence/policy.ts";
import type { Scene, Sightings } from "../../evidence/sightings.ts";
import type { Base } from "../../ports/repository.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import type { ReadHandoff } from "../../protocol/reading.ts";
import { AppError } from "../../shared/app-error.ts";
import { LineTable, type TextRange } from "../../shared/line-table.ts";
import type { Inspection } from "../inspection.ts";
import { type ClaimPlaces, claimPlaces } from "./locate-claim.ts";
import { type GateRun, type VerifyGate, runGates } from "./verify-gates.ts";

export type { ClaimKind, Judgement, Verdict } from "../../evidence/claim.ts";
export { type ClaimAnswer, explainRefuted } from "../../evidence/policy.ts";

/** A text whose handoffs are to be verified. */
export interface HandoffText {
  /** As it is shown. */
  readonly path: string;
  /** Where the file is, absolute; null for a text that came in another way. */
  readonly place: string | null;
  readonly text: string;
  readonly handoffs: readonly ReadHandoff[];
}

export interface VerifyOrder {
  readonly files: readonly HandoffText[];
  /** The revision that the operator names; null to find out where the work began. */
  readonly base: string | null;
  readonly gates: readonly VerifyGate[];
  /** By the agent that a handoff says it is from. */
  readonly policy: (author: string | null) => ClaimPolicy;
  readonly signal: AbortSignal;
  readonly onGate: (name: string) => void;
}

export interface Verification {
  /** What changes are counted from, and why. */
  readonly base: string;
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
  const { machine, root } = inspection;
  const subjects = subjectsOf(order.files);
  const own = ownFiles(order.files, root);
  const base = await chooseBase(inspection, order.base, own);
  const sightings = await looking(() => machine.repository.look(root, base, needsOf(subjects.flatMap(claimsOf))));
  const gates = await runGates(inspection, order.gates, order.signal, order.onGate);
  if (order.signal.aborted) throw new AppError("interrupted", "The verification was interrupted.", "Run it again.");
  const scene: Scene = {
    ...sceneOf(sightings, own),
    gates: gates.filter(({ hasAnswered }) => hasAnswered),
    now: machine.clock.now(),
  };
  return { base: base.name, gates, handoffs: subjects.map((subject) => judge(subject, scene, order)) };
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
  const declared = subjects.flatMap(({ claims }) =>
    claims.flatMap(({ about }) => (about.of === "all-changes" ? about.declared : [])),
  );
  const listed = [...new Set(declared)];
  return subjects.map((subject) => ({
    ...subject,
    claims: subject.claims.map((claim) =>
      claim.about.of === "all-changes" ? { ...claim, about: { ...claim.about, declared: listed } } : claim,
    ),
  }));
}

async function chooseBase(
  { machine, root }: Inspection,
  revision: string | null,
  own: readonly string[],
): Promise<Base> {
  const base = await looking(() => machine.repository.chooseBase(root, revision, own));
  if (base !== null) return base;
  const hint = "Claims are checked against git: run it inside a repository.";
  throw new AppError("cannot-read", `There is no git repository in ${root}.`, hint);
}

/** What git cannot do is the machine's trouble, and no fault of ours. */
async function looking<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new AppError("cannot-read", `The repository cannot be looked at: ${message}.`, "Check that git works here.");
  }
}

/** The handoffs themselves, as far as they lie in the repository: nobody has to declare them. */
function ownFiles(files: readonly HandoffText[], root: string): string[] {
  return files.flatMap(({ place }) => {
    if (place === null) return [];
    const path = relative(realpathSync(root), realpathSync(place));
    return isAbsolute(path) || path.split(sep)[0] === ".." ? [] : [path.split(sep).join("/")];
  });
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
