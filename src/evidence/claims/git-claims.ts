import type { Handoff } from "../../protocol/handoff.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { Claim, Statement } from "../claim.ts";
import { counted, quote } from "../wording.ts";
import { type FreeValue, besidesOf, countOf, metricsOf } from "./free-maps.ts";

/** Commits, branch, workspace, merge, and figures that git can count. */
export function gitClaims(handoff: Handoff): Claim[] {
  const { commits = [], branch } = handoff.work ?? {};
  const besides = besidesOf(handoff).flatMap(({ values }) => values);
  const isMerged = handoff.work?.merge !== undefined || handoff.final === true;
  return [
    ...commits.map((commit, at) => commitClaim(`work.commits.${at}`, commit.sha ?? "", commit.message ?? null)),
    ...besides.flatMap(commitsBeside),
    ...(branch === undefined ? [] : [branchClaim("work.branch", branch, isMerged)]),
    ...besides.flatMap(({ name, where, value }) =>
      BRANCH_NAMES.includes(name) && typeof value === "string" ? [branchClaim(where, value, isMerged)] : [],
    ),
    ...workspaceClaims(handoff),
    ...mergeClaims(handoff),
    ...[...metricsOf(handoff).values, ...besides].flatMap(figureClaim),
  ];
}

const BRANCH_NAMES = ["branch", "branch_name", "git_branch"];

function commitClaim(where: string, sha: string, message: string | null): Claim {
  const words = message === null || message.trim() === "" ? null : message;
  const says = `The commit ${quote(sha)} was made${words === null ? "" : `: ${quote(words)}`}.`;
  return { kind: "commit", where, says, about: { of: "commit", sha, message: words } };
}

function commitsBeside({ name, where, value }: FreeValue): Claim[] {
  if (COMMIT_NAMES.includes(name) && typeof value === "string") return [commitOfText(where, value)];
  if (name !== "commits" || !Array.isArray(value)) return [];
  return value.flatMap((item, at) => commitBeside(`${where}.${at}`, item));
}

const COMMIT_NAMES = ["commit", "commit_sha", "commit_hash", "commit_id"];

function commitBeside(where: string, item: JsonValue): Claim[] {
  if (typeof item === "string") return [commitOfText(where, item)];
  if (!isRecord(item)) return [];
  const sha = ["sha", "hash", "id", "commit"].map((key) => textOf(item, key)).find((text) => text !== null);
  return sha === undefined || sha === null ? [] : [commitClaim(where, sha, textOf(item, "message"))];
}

/** `4f2a9c1 feat(cart): accept gift cards` */
function commitOfText(where: string, text: string): Claim {
  const [sha = "", ...words] = text.trim().split(/\s+/);
  return commitClaim(where, sha.replace(/:$/, ""), words.length === 0 ? null : words.join(" "));
}

function textOf(item: JsonRecord, key: string): string | null {
  const value = item[key];
  return typeof value === "string" ? value : null;
}

function branchClaim(where: string, name: string, isMerged: boolean): Claim {
  return {
    kind: "branch",
    where,
    says: `The work is on branch ${quote(name)}.`,
    about: { of: "branch", name, isMerged },
  };
}

function workspaceClaims(handoff: Handoff): Claim[] {
  const { path = null, type = null, port = null } = handoff.work?.workspace ?? {};
  const claims: Claim[] = [];
  const add = (part: string, says: string, about: Statement): void =>
    void claims.push({ kind: "workspace", where: `work.workspace.${part}`, says, about });
  if (path !== null) add("path", `The workspace is ${quote(path)}.`, { of: "workspace", path, type: null, port: null });
  if (type !== null)
    add("type", `The workspace is of type ${quote(type)}.`, { of: "workspace", path, type, port: null });
  if (port !== null) add("port", `Its port is ${quote(port)}.`, { of: "workspace", path: null, type: null, port });
  return claims;
}

function mergeClaims(handoff: Handoff): Claim[] {
  const { status, sha = null, strategy = null } = handoff.work?.merge ?? {};
  const where = "work.merge";
  if (sha === null) {
    if (status === undefined && strategy === null) return [];
    return [{ kind: "merge", where, says: "The work was merged.", about: { of: "merge", sha: null, strategy } }];
  }
  const says = `The work was merged as commit ${quote(sha)}.`;
  const merged: Claim = { kind: "merge", where: `${where}.sha`, says, about: { of: "merge", sha, strategy: null } };
  if (strategy === null) return [merged];
  const how = `It was merged by ${quote(strategy)}.`;
  return [merged, { kind: "merge", where: `${where}.strategy`, says: how, about: { of: "merge", sha, strategy } }];
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
  total_commits: (count) => ({
    kind: "commit",
    says: `${counted(count, "commit")} in all.`,
    about: { of: "words" },
  }),
  files_changed: filesChanged,
  files_created: filesCounted("created"),
  files_modified: filesCounted("modified"),
  files_deleted: filesCounted("deleted"),
  tests_added: testsAdded,
  new_tests: testsAdded,
};

function figureClaim({ name, where, value }: FreeValue): Claim[] {
  const make = Object.hasOwn(FIGURES, name) ? FIGURES[name] : undefined;
  const count = countOf(value);
  return make === undefined || count === null ? [] : [{ where, ...make(count) }];
}
