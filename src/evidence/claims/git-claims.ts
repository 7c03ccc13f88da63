import type { Handoff } from "../../protocol/handoff.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { type Claim, type ClaimPlace, type Statement, standsAt } from "../claim.ts";
import { counted, quote } from "../wording.ts";
import { type FreeValue, freeMapsOf, countOf, placeOfItem, metricsOf } from "./free-maps.ts";

/** Commits, branch, workspace, merge, and numbers that git can count. */
export function gitClaims(handoff: Handoff): Claim[] {
  const { commits = [], branch } = handoff.work ?? {};
  const besides = freeMapsOf(handoff).flatMap(({ values }) => values);
  const isMerged = handoff.work?.merge !== undefined || handoff.final === true;
  return [
    ...commits.map((commit, at) =>
      commitClaim(standsAt(["work", "commits", at], "sha"), commit.sha ?? "", commit.message ?? null),
    ),
    ...besides.flatMap(commitsBeside),
    ...(branch === undefined ? [] : [branchClaim(standsAt(["work", "branch"]), branch, isMerged)]),
    ...besides.flatMap(({ name, value, ...place }) =>
      BRANCH_NAMES.includes(name) && typeof value === "string" ? [branchClaim(place, value, isMerged)] : [],
    ),
    ...workspaceClaims(handoff),
    ...mergeClaims(handoff),
    ...[...metricsOf(handoff).values, ...besides].flatMap(figureClaim),
  ];
}

const BRANCH_NAMES = ["branch", "branch_name", "git_branch"];

function commitClaim(place: ClaimPlace, sha: string, message: string | null): Claim {
  const words = message === null || message.trim() === "" ? null : message;
  const says = `The commit ${quote(sha)} was made${words === null ? "" : `: ${quote(words)}`}.`;
  return { kind: "commit", ...place, says, about: { of: "commit", sha, message: words } };
}

function commitsBeside({ name, value, ...place }: FreeValue): Claim[] {
  if (COMMIT_NAMES.includes(name) && typeof value === "string") return [commitOfText(place, value)];
  if (name !== "commits" || !Array.isArray(value)) return [];
  return value.flatMap((item, at) => commitBeside(placeOfItem(place, at), item));
}

const COMMIT_NAMES = ["commit", "commit_sha", "commit_hash", "commit_id"];

function commitBeside(place: ClaimPlace, item: JsonValue): Claim[] {
  if (typeof item === "string") return [commitOfText(place, item)];
  if (!isRecord(item)) return [];
  const key = ["sha", "hash", "id", "commit"].find((name) => textOf(item, name) !== null);
  if (key === undefined) return [];
  const at = { ...place, path: [...place.path, key] };
  return [commitClaim(at, textOf(item, key) ?? "", textOf(item, "message"))];
}

/** `4f2a9c1 feat(cart): accept gift cards` */
function commitOfText(place: ClaimPlace, text: string): Claim {
  const [sha = "", ...words] = text.trim().split(/\s+/);
  return commitClaim(place, sha.replace(/:$/, ""), words.length === 0 ? null : words.join(" "));
}

function textOf(item: JsonRecord, key: string): string | null {
  const value = item[key];
  return typeof value === "string" ? value : null;
}

function branchClaim(place: ClaimPlace, name: string, isMerged: boolean): Claim {
  return {
    kind: "branch",
    ...place,
    says: `The work is on branch ${quote(name)}.`,
    about: { of: "branch", name, isMerged },
  };
}

function workspaceClaims(handoff: Handoff): Claim[] {
  const { path = null, type = null, port = null } = handoff.work?.workspace ?? {};
  const claims: Claim[] = [];
  const add = (part: string, says: string, about: Statement): void =>
    void claims.push({ kind: "workspace", ...standsAt(["work", "workspace", part]), says, about });
  if (path !== null) add("path", `The workspace is ${quote(path)}.`, { of: "workspace", path, type: null, port: null });
  if (type !== null)
    add("type", `The workspace is of type ${quote(type)}.`, { of: "workspace", path, type, port: null });
  if (port !== null) add("port", `Its port is ${quote(port)}.`, { of: "workspace", path: null, type: null, port });
  return claims;
}

function mergeClaims(handoff: Handoff): Claim[] {
  const { status, sha = null, strategy = null } = handoff.work?.merge ?? {};
  const merge = ["work", "merge"];
  if (sha === null) {
    if (status === undefined && strategy === null) return [];
    const place = standsAt(merge, status === undefined ? "strategy" : "status");
    return [{ kind: "merge", ...place, says: "The work was merged.", about: { of: "merge", sha: null, strategy } }];
  }
  const says = `The work was merged as commit ${quote(sha)}.`;
  const place = standsAt([...merge, "sha"]);
  const merged: Claim = { kind: "merge", ...place, says, about: { of: "merge", sha, strategy: null } };
  if (strategy === null) return [merged];
  const how = `It was merged by ${quote(strategy)}.`;
  const about = { of: "merge", sha, strategy } as const;
  return [merged, { kind: "merge", ...standsAt([...merge, "strategy"]), says: how, about }];
}

type FigureClaim = (count: number) => Pick<Claim, "kind" | "says" | "about">;

const commitsAdded: FigureClaim = (count) => ({
  kind: "commit",
  says: `${counted(count, "commit")} added.`,
  about: { of: "commits-added", count },
});
const filesChanged: FigureClaim = (count) => ({
  kind: "count",
  says: `${counted(count, "file")} changed.`,
  about: { of: "files-changed", count },
});
const testsAdded: FigureClaim = (count) => ({
  kind: "test",
  says: `${counted(count, "test")} added.`,
  about: { of: "tests-added", count },
});
const filesCounted =
  (change: "created" | "modified" | "deleted"): FigureClaim =>
  (count) => ({
    kind: "count",
    says: `${counted(count, "file")} ${change}.`,
    about: { of: "files-counted", change, count },
  });

const FIGURES: Readonly<Record<string, FigureClaim>> = {
  commits_added: commitsAdded,
  commits_made: commitsAdded,
  files_changed: filesChanged,
  files_created: filesCounted("created"),
  files_modified: filesCounted("modified"),
  files_deleted: filesCounted("deleted"),
  tests_added: testsAdded,
  new_tests: testsAdded,
};

function figureClaim({ name, where, path, value }: FreeValue): Claim[] {
  const make = Object.hasOwn(FIGURES, name) ? FIGURES[name] : undefined;
  const count = countOf(value);
  return make === undefined || count === null ? [] : [{ where, path, ...make(count) }];
}
