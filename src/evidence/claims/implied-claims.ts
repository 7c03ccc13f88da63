import type { Handoff, Outcome } from "../../protocol/handoff.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import { type Claim, type ClaimKind, type Judgement, type Statement, standsAt } from "../claim.ts";
import { quote, readPlace } from "../wording.ts";
import { declaredFolders, declaredPaths } from "./file-claims.ts";

/**
 * What a handoff does not say and everybody takes for granted: that it lists what was changed, and that the history was
 * not rewritten. Only what does not hold is reported (`isWorthTelling`), because nobody claims the rest.
 */
export function impliedClaims(handoff: Handoff, claims: readonly Claim[]): Claim[] {
  return [...unlistedClaims(handoff, claims), ...historyClaims(handoff, claims), ...fixedIssues(handoff)];
}

/**
 * What is taken for granted counts only where it does not hold, or where files are changed that no list could name; what
 * a gate depends on always. An issue that is listed as fixed may be told of only: its fix is then nobody's claim.
 */
export function isWorthTelling(
  { isImplied, about }: Pick<Claim, "isImplied" | "about">,
  { verdict, isDoubtful }: Pick<Judgement, "verdict" | "isDoubtful">,
): boolean {
  if (verdict === "refuted" || isDoubtful === true) return true;
  if (about.of === "fix" && about.issue !== undefined) return verdict === "confirmed";
  if (isImplied !== true || OF_GATES.includes(about.of)) return true;
  return verdict === "unverifiable" && TOLD_UNVERIFIED.includes(about.of);
}

const OF_GATES: readonly Statement["of"][] = ["gate-files", "test-files", "lockfile", "tests-kept"];
const TOLD_UNVERIFIED: readonly Statement["of"][] = ["unlisted", "left-alone"];

function implied(kind: ClaimKind, where: string, says: string, about: Statement, path: JsonPath = []): Claim {
  return { kind, where, path, says, about, isImplied: true };
}

/** The handoff has no list of changed files, or an empty one of a kind that does not name all of them. */
function unlistedClaims(handoff: Handoff, claims: readonly Claim[]): Claim[] {
  const list = claims.flatMap(({ about }) => (about.of === "all-changes" ? [about] : []))[0];
  if (list?.change === "any") return [];
  const declares = { declared: declaredPaths(handoff, claims), ...declaredFolders(handoff) };
  const names = { ...declares, declared: [...declares.declared, ...fixedFiles(claims)], shas: listedCommits(claims) };
  // 003-R06: if any file was changed, there is a list.
  if (handoff.dialect === "task-yaml" && DONE.has(handoff.outcome)) {
    const about: Statement = { of: "all-changes", change: "any", ...declares };
    return [implied("undeclared", "work.unlisted", "No file was changed: the handoff lists none.", about)];
  }
  const change = list === undefined ? "any" : "existing";
  if (!handsOverFindings(handoff) || claimsWork(handoff, claims)) {
    const says = "The files that were changed are named.";
    return [implied("undeclared", "work.unlisted", says, { of: "unlisted", change, ...names })];
  }
  const says = "The handoff brings findings and no work of its own: the files were left as they were.";
  return [implied("workspace", "work.unlisted", says, { of: "left-alone", change, ...names })];
}

/** Who says where something was fixed has named the file. */
function fixedFiles(claims: readonly Claim[]): string[] {
  return claims.flatMap(({ about }) => (about.of === "fix" ? [readPlace(about.location).path] : []));
}

function listedCommits(claims: readonly Claim[]): string[] {
  return claims.flatMap(({ about }) => (about.of === "commit" ? [about.sha] : []));
}

/** The work is handed on. What is blocked, failed or not finished may leave anything behind. */
const DONE: ReadonlySet<Outcome> = new Set(["done", "done-with-warnings", "needs-review", "needs-fixes"]);

function handsOverFindings({ outcome, findings }: Handoff): boolean {
  if (outcome === "skipped") return true;
  const { review, issues = [], failures = [] } = findings ?? {};
  return DONE.has(outcome) && (review !== undefined || issues.length + failures.length > 0);
}

/** Anything that says that files were changed, although not which. */
function claimsWork({ findings, work, pull_request }: Handoff, claims: readonly Claim[]): boolean {
  const { fixes = [], resolved = [], review } = findings ?? {};
  if (fixes.length + resolved.length > 0) return true;
  if (work?.artifacts?.some(({ type }) => type !== "report" && type !== "documentation") === true) return true;
  if (pull_request !== undefined && review === undefined && findings?.failures === undefined) return true;
  return claims.some(({ about }) => saysWork(about));
}

function saysWork(about: Statement): boolean {
  return WORK.has(about.of) || (FIGURES.has(about.of) && "count" in about && about.count > 0);
}

const WORK: ReadonlySet<Statement["of"]> = new Set(["file", "commit", "merge"]);
const FIGURES: ReadonlySet<Statement["of"]> = new Set([
  "commits-added",
  "files-changed",
  "files-counted",
  "tests-added",
]);

/** What is listed as fixed at a place was fixed there, by the author of the handoff or by somebody else. */
function fixedIssues({ findings }: Handoff): Claim[] {
  return (findings?.issues ?? []).flatMap(({ id, status, location = "" }, at) => {
    if (status !== "fixed" || location.trim() === "") return [];
    const says = `${id === undefined ? "An issue" : quote(id)} was fixed at ${quote(location)}.`;
    const about: Statement = { of: "fix", location, issue: { id: id ?? null } };
    return [{ kind: "fix", ...standsAt(["findings", "issues", at, "status"]), says, about }];
  });
}

function historyClaims(handoff: Handoff, claims: readonly Claim[]): Claim[] {
  const shas = listedCommits(claims);
  const all: Claim[] = [
    implied("history", "history.base", "The commit that the work began with is still in the history.", {
      of: "history-kept",
    }),
    implied("history", "history.authors", "The new commits are by the account of this workspace.", {
      of: "commit-authors",
    }),
    implied("history", "history.dates", "The new commits were made since the work began.", { of: "commit-dates" }),
  ];
  if (handoff.work?.commits !== undefined || shas.length > 0)
    all.push(
      implied("history", "history.listed", "No other commit was made than the listed ones.", {
        of: "all-commits",
        shas,
      }),
    );
  if (shas.length === 0) return all;
  all.push(implied("history", "history.own", "The listed commits are of this work.", { of: "own-commits", shas }));
  const { at } = handoff;
  if (at === undefined) return all;
  const says = `It was written at ${quote(at)}, after the commits that it names.`;
  return [...all, implied("history", "history.written", says, { of: "written-after", at, shas }, ["at"])];
}
