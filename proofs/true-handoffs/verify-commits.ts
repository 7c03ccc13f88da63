import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { chooseCommits, type Commit, git } from "./read-commit.ts";
import { LIES } from "./tell-lies.ts";
import { FORMATS, type Saying, sayTruth, tell, type Told } from "./tell-commit.ts";

const root = join(import.meta.dirname, "../..");
const node = join(root, "node_modules/node/bin/node");
const command = join(root, "dist/cli/baton.cjs");

export interface Result {
  readonly claims: number;
  readonly confirmed: number;
  readonly lies: number;
  readonly found: number;
  readonly handoffs: number;
  /** True claims that were refuted, and handoffs that could not be read. */
  readonly wrong: readonly string[];
  /** Lies that nothing spoke against. */
  readonly missed: readonly string[];
  readonly traits: readonly string[];
}

/** How the repository stands: alone at the commit, or as a branch that has left the default branch at its parent. */
type Mode = "detached" | "branch";

/** True handoffs about commits of a clone, and lies about the same commits. Nothing is written into the clone. */
export async function verifyCommits(clone: string, many: number, seed: number, isLying: boolean): Promise<Result> {
  const room = mkdtempSync(join(tmpdir(), "baton-true-"));
  try {
    const folder = join(room, basename(join(clone, "..")).replace(/.*\+/, "") || "clone");
    execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", clone, folder], { stdio: "ignore" });
    for (const [key, value] of [
      ["gc.auto", "0"],
      ["core.hooksPath", "/dev/null"],
      ["user.name", "T"],
      ["user.email", "t@localhost"],
    ] as const)
      git(folder, "config", key, value);
    const commits = chooseCommits(folder, many, seed);
    forgetOthers(folder);
    const results: Result[] = [];
    for (const [index, commit] of commits.entries())
      results.push(await verifyCommit(folder, commit, index % 2 === 0 ? "detached" : "branch", isLying));
    return results.reduce(add, NONE);
  } finally {
    rmSync(room, { recursive: true, force: true, maxRetries: 3 });
  }
}

const NONE: Result = { claims: 0, confirmed: 0, lies: 0, found: 0, handoffs: 0, wrong: [], missed: [], traits: [] };

export function add(one: Result, other: Result): Result {
  return {
    claims: one.claims + other.claims,
    confirmed: one.confirmed + other.confirmed,
    lies: one.lies + other.lies,
    found: one.found + other.found,
    handoffs: one.handoffs + other.handoffs,
    wrong: [...one.wrong, ...other.wrong],
    missed: [...one.missed, ...other.missed],
    traits: [...one.traits, ...other.traits],
  };
}

/** Branches, tags and the remote would say where the work began; a clone of a fork has none of them. */
function forgetOthers(folder: string): void {
  git(folder, "checkout", "--quiet", "--force", "--detach", "HEAD");
  git(folder, "remote", "remove", "origin");
  const names = git(folder, "for-each-ref", "--format=%(refname)").trim().split("\n").filter(Boolean);
  execFileSync("git", ["-C", folder, "update-ref", "--stdin"], {
    input: names.map((name) => `delete ${name}\n`).join(""),
  });
}

async function verifyCommit(folder: string, commit: Commit, mode: Mode, isLying: boolean): Promise<Result> {
  stand(folder, commit, mode);
  const truth = sayTruth(folder, commit, mode === "branch" ? "work" : null);
  const where = `${basename(folder)} ${commit.sha.slice(0, 10)} ${mode}`;
  const results: Result[] = [];
  for (const format of FORMATS) {
    const told = tell(format, truth);
    for (const options of [["--base", commit.parent], []]) {
      const { refuted, claims, confirmed, problem } = await verify(folder, told, options);
      const name = `${where} ${format}${options.length === 0 ? " without --base" : ""}`;
      const wrong = [...refuted, ...(problem === null ? [] : [problem])].map((text) => `${name}: ${text}`);
      results.push({ ...NONE, handoffs: options.length === 0 ? 0 : 1, claims, confirmed, wrong });
    }
  }
  if (isLying) results.push(...(await lieAbout(folder, commit, truth, where)));
  return results.reduce(add, { ...NONE, traits: commit.traits });
}

/** Each lie once, in one of the formats that have a place for it. */
async function lieAbout(folder: string, commit: Commit, truth: Saying, where: string): Promise<Result[]> {
  const listed = new Set(truth.changes.flatMap(({ path, from }) => [path, from]));
  const all = git(folder, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0");
  const unchanged = all.find((path) => path !== "" && !listed.has(path)) ?? "";
  const turn = Number.parseInt(commit.sha.slice(0, 4), 16);
  const results: Result[] = [];
  for (const { name, formats, tell: change } of LIES) {
    const saying = change(truth, unchanged);
    const format = formats[turn % formats.length];
    if (saying === null || format === undefined) continue;
    const { refuted } = await verify(folder, tell(format, saying), ["--base", commit.parent]);
    const isFound = refuted.length > 0;
    results.push({ ...NONE, lies: 1, found: isFound ? 1 : 0, missed: isFound ? [] : [`${where} ${format}: ${name}`] });
  }
  return results;
}

function stand(folder: string, { sha, parent }: Commit, mode: Mode): void {
  git(folder, "checkout", "--quiet", "--force", "--detach", sha);
  git(folder, "clean", "-ffdqx");
  for (const branch of ["main", "work"])
    if (git(folder, "for-each-ref", `refs/heads/${branch}`) !== "") git(folder, "branch", "--quiet", "-D", branch);
  if (mode === "detached") return;
  git(folder, "branch", "--quiet", "main", parent);
  git(folder, "checkout", "--quiet", "-b", "work", sha);
}

interface Verified {
  readonly refuted: readonly string[];
  readonly claims: number;
  readonly confirmed: number;
  /** Why nothing could be judged; null when it could. */
  readonly problem: string | null;
}

async function verify(folder: string, { file, text }: Told, options: readonly string[]): Promise<Verified> {
  const path = join(folder, file);
  writeFileSync(path, text);
  try {
    const printed = await new Promise<string>((resolve) => {
      execFile(
        node,
        [command, "verify", file, "--json", ...options],
        { cwd: folder, maxBuffer: 1 << 28 },
        (_, stdout, stderr) => resolve(stdout === "" ? JSON.stringify({ error: stderr }) : stdout),
      );
    });
    return readVerified(JSON.parse(printed) as VerifyJson);
  } finally {
    rmSync(path);
  }
}

interface VerifyJson {
  readonly error?: unknown;
  readonly files?: readonly {
    readonly valid: boolean;
    readonly diagnostics: readonly { readonly message: string; readonly severity?: string }[];
    readonly handoffs: readonly {
      readonly claims: readonly {
        readonly kind: string;
        readonly says: string;
        readonly verdict: string;
        readonly evidence: string;
      }[];
    }[];
  }[];
}

function readVerified({ error, files = [] }: VerifyJson): Verified {
  const claims = files.flatMap(({ handoffs }) => handoffs.flatMap((handoff) => handoff.claims));
  const refuted = claims
    .filter(({ verdict }) => verdict === "refuted")
    .map(({ kind, says, evidence }) => `${kind}: ${says} ${evidence}`);
  const confirmed = claims.filter(({ verdict }) => verdict === "confirmed").length;
  const invalid = files.find(({ valid }) => !valid)?.diagnostics[0]?.message ?? null;
  const problem =
    error !== undefined ? JSON.stringify(error) : (invalid ?? (files.length === 0 ? "no file was read" : null));
  return { refuted, claims: claims.length, confirmed, problem };
}
