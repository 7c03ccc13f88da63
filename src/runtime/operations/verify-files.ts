import type { Claim, Judgement } from "../../evidence/claim.ts";
import { gateClaims, testsKeptClaim } from "../../evidence/claims/gate-claims.ts";
import type { ComparedGate } from "../../evidence/test-cases.ts";
import { judgeClaims } from "../../evidence/judge-claims.ts";
import { impliedClaims, isWorthTelling } from "../../evidence/claims/implied-claims.ts";
import { listClaims } from "../../evidence/list-claims.ts";
import { observationsNeeded } from "../../evidence/observations-needed.ts";
import { type ClaimAnswer, type ClaimPolicy, answerTo } from "../../evidence/policy.ts";
import type { Evidence, Observations } from "../../evidence/observations.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { locateHandoff } from "../../protocol/locate-handoff.ts";
import type { ReadHandoff, ReadOptions } from "../../protocol/reading.ts";
import { AppError } from "../../shared/app-error.ts";
import { LineTable, type TextRange } from "../../shared/line-table.ts";
import type { VerifyContext } from "../engine.ts";
import { lookAtDefinitions } from "../look-at-definitions.ts";
import type { FormatsByTrust } from "./formats-by-trust.ts";
import { type UnexcusedHandoff, type VerifyBase, fromRoot, surveyChanges } from "./survey-changes.ts";
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
  /** The workflow that the operator named: an absolute path. It is no work of the handoffs. */
  readonly workflow?: string | undefined;
  /** The policy by the author that a handoff names. */
  readonly policy: (author: string | null) => ClaimPolicy;
  /** Whether an author may change tests that are there; null when that is not known. */
  readonly writesTests?: (author: string | null) => boolean | null;
  /** The formats of the repository. Handoffs of those that the operator trusts are no changes; without it, of none. */
  readonly formats?: FormatsByTrust;
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
  const subjects = withGateClaims(subjectsOf(order.files), order);
  const operators = order.workflow === undefined ? [] : [{ place: order.workflow }];
  const named = fromRoot([...order.files, ...operators], verifyContext.root);
  const { base, state, observations, own, unexcused } = await surveyChanges(
    verifyContext,
    order.base,
    named,
    observationsNeeded(subjects.flatMap(claimsOf)),
    order.formats ?? noFormats,
  );
  const { ports, root } = verifyContext;
  const definitions = await lookAtDefinitions(ports, root, state, observations, subjects.flatMap(claimsOf));
  const gates = await runGates(verifyContext, order, state);
  if (order.signal.aborted) throw new AppError("interrupted", "The verification was interrupted.", "Run it again.");
  const compared = gates.flatMap((gate) => gate.compared ?? []);
  const evidence: Evidence = {
    ...sceneOf(observations, own),
    ...definitions,
    gates: gates.filter(({ hasAnswered }) => hasAnswered),
    compared,
    now: ports.clock.now(),
  };
  const handoffs = withTestsKept(subjects, compared).map((subject) => judge(subject, evidence, order));
  return { base, gates, handoffs: handoffs.map((handoff) => explainUnexcused(handoff, unexcused)) };
}

const noFormats: FormatsByTrust = () => Promise.resolve([]);

/** Says of changed files that are handoffs why they count as work all the same, and what to do. */
function explainUnexcused(handoff: VerifiedHandoff, unexcused: readonly UnexcusedHandoff[]): VerifiedHandoff {
  if (unexcused.length === 0) return handoff;
  const told = unexcusedGroups(unexcused).map(whyUnexcused).join(" ");
  const claims = handoff.claims.map((claim) =>
    claim.kind === "undeclared" && claim.verdict !== "confirmed"
      ? { ...claim, evidence: `${claim.evidence} ${told}` }
      : claim,
  );
  return { ...handoff, claims };
}

/** Files of one format with the same fault are told together. */
function unexcusedGroups(unexcused: readonly UnexcusedHandoff[]): UnexcusedHandoff[][] {
  const groups = new Map<string, UnexcusedHandoff[]>();
  for (const one of unexcused) {
    const key = `${String(one.isNamedSo)} ${one.format.file}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

const MAX_TOLD = 5;

function whyUnexcused(group: readonly UnexcusedHandoff[]): string {
  const [first] = group;
  if (first === undefined) return "";
  const { dialect, file, isTrusted } = first.format;
  const paths = group.slice(0, MAX_TOLD).map(({ path }) => path);
  const more = group.length > MAX_TOLD ? ` and ${group.length - MAX_TOLD} more` : "";
  const verb = group.length === 1 ? "is a handoff" : "are handoffs";
  const why = [...(isTrusted ? [] : ["is not trusted"]), ...(first.isNamedSo ? [] : ["states no file of such a name"])];
  const naming = first.isNamedSo ? "" : `add the name to \`file\` of \`stands\` in ${file}, then `;
  return `${paths.join(", ")}${more} ${verb} in ${dialect.name}, which ${why.join(" and ")}: ${naming}\`baton trust ${file}\`; or name the file in the command.`;
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
      return handoff === null ? [] : [{ file, read, handoff, claims: claimsIn(handoff) }];
    }),
  );
  return shareDeclarations(subjects);
}

function claimsIn(handoff: Handoff): Claim[] {
  const claims = listClaims(handoff);
  return [...claims, ...impliedClaims(handoff, claims)];
}

/** What all of them imply about the gates is judged once, with the first of them. */
function withGateClaims(subjects: readonly Subject[], { gates, writesTests }: VerifyOrder): Subject[] {
  const authors = subjects.map(({ handoff }) => writesTests?.(handoff.from ?? null) ?? null);
  const isTester = authors.includes(true) ? true : authors.includes(null) ? null : false;
  return subjects.map((subject, at) =>
    at === 0 ? { ...subject, claims: [...subject.claims, ...gateClaims(gates, isTester)] } : subject,
  );
}

function withTestsKept(subjects: readonly Subject[], compared: readonly ComparedGate[]): Subject[] {
  return subjects.map((subject, at) =>
    at === 0
      ? { ...subject, claims: [...subject.claims, ...compared.map(({ gate }) => testsKeptClaim(gate))] }
      : subject,
  );
}

/** A file that one of the handoffs declares need not be declared by the others. */
function shareDeclarations(subjects: readonly Subject[]): Subject[] {
  if (subjects.length < 2) return [...subjects];
  const lists = subjects.flatMap(({ claims }) => claims.flatMap(({ about }) => ("declared" in about ? [about] : [])));
  const declared = [...new Set(lists.flatMap((about) => about.declared))];
  const folders = [...new Set(lists.flatMap((about) => about.folders ?? []))];
  return subjects.map((subject) => ({
    ...subject,
    claims: subject.claims.map((claim) =>
      "declared" in claim.about ? { ...claim, about: { ...claim.about, declared, folders } } : claim,
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
  const judged = judgeClaims(claims, evidence).flatMap((judgement, at): PlacedJudgement[] => {
    const claim = claims[at];
    if (claim === undefined || !isWorthTelling(claim, judgement)) return [];
    const span = locate(claim.path);
    const range = lines.range(span.start, span.end);
    return [{ ...judgement, answer: answerTo(policy, judgement.kind), range }];
  });
  return { path: file.path, dialect: handoff.dialect, from, claims: judged };
}
