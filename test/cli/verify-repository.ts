import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync, appendFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { baton, workroom } from "./run-baton.ts";

export const room = workroom();

export function git(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

export function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A repository with a commit on main, and on the branch `work` one more that adds and changes a file. */
export function repository(): string {
  const folder = room({
    "package.json": '{"name":"shop","type":"module"}\n',
    "docs/cart.md": "# Cart\n",
    "src/old.js": "export const old = 1;\n",
    "cart.test.js": 'import test from "node:test";\ntest("adds", () => {});\ntest("removes", () => {});\n',
  });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "feat: begin");
  git(folder, "switch", "-qc", "work");
  put(folder, "src/new.js", "export const fresh = 1;\n");
  appendFileSync(join(folder, "src/old.js"), "export const more = 2;\n");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "feat: add more");
  return folder;
}

interface Claims {
  readonly modified?: readonly string[];
  readonly results?: Readonly<Record<string, unknown>>;
}

export function handoff({ modified = ["src/new.js", "src/old.js"], results = {} }: Claims = {}): string {
  const document = {
    agent: "frontend-developer",
    output_type: "implementation",
    timestamp: "2026-03-09T14:05:00Z",
    feature_directory: "docs",
    skills_invoked: [],
    library_skills_read: [],
    source_files_verified: [],
    status: "complete",
    phase: "implementation",
    summary: "Built the cart with 2 parts and wired it to the total in src/old.js",
    files_modified: modified,
    artifacts: [],
    verification: { tests_passed: true, ...results },
    handoff: { next_phase: "testing", next_agent: "tester", context: "See src/new.js.", blockers: [] },
  };
  return `# Output\n\n\`\`\`json\n${JSON.stringify(document, null, 2)}\n\`\`\`\n`;
}

interface JsonClaim {
  readonly kind: string;
  readonly says: string;
  readonly verdict: string;
  readonly refused: boolean;
  readonly evidence: string;
  readonly range: { readonly start: { readonly line: number } };
}

export interface Json {
  readonly base: { readonly commit: string | null; readonly name: string; readonly guessed: boolean };
  readonly files: readonly { readonly path: string; readonly handoffs: readonly { readonly claims: JsonClaim[] }[] }[];
  readonly gates: readonly Record<string, unknown>[];
  readonly summary: Readonly<Record<string, number>>;
}

export async function verify(folder: string, ...args: string[]): Promise<Json & { readonly code: number | null }> {
  const run = await baton(["verify", ...args, "--json"], { cwd: folder });
  expect(run.stdout, run.stderr).not.toBe("");
  return { ...(JSON.parse(run.stdout) as Json), code: run.code };
}

export function claimsIn({ files }: Json): JsonClaim[] {
  return files.flatMap(({ handoffs }) => handoffs.flatMap(({ claims }) => claims));
}

export function claimOf(json: Json, kind: string, words = ""): JsonClaim {
  const found = claimsIn(json).find((claim) => claim.kind === kind && claim.says.includes(words));
  if (found === undefined) throw new Error(`no claim ${kind} ${words} in ${JSON.stringify(claimsIn(json))}`);
  return found;
}
