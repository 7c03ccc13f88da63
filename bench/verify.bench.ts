import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { judgeClaims } from "../src/evidence/judge-claims.ts";
import { impliedClaims } from "../src/evidence/claims/implied-claims.ts";
import { listClaims } from "../src/evidence/list-claims.ts";
import { observationsNeeded } from "../src/evidence/observations-needed.ts";
import { countVerdicts } from "../src/evidence/policy.ts";
import { gitRepository } from "../src/git/git-repository.ts";
import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { median } from "./measure.ts";

const FILES = 50_000;
const NAMED = 1_000;
const ROUNDS = 15;

/** A handoff that names 1,000 files of a repository of 50,000, against the `git diff` that it takes to judge it. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-verify-"));
  try {
    const base = makeRepository(folder);
    const text = handoffText();
    const diffs: number[] = [];
    const ours: number[] = [];
    for (let round = -2; round < ROUNDS; round++) {
      const diff = await timeOf(() => gitDiff(folder, base));
      // Each time as a first time: nothing that was noted before is there.
      const state = mkdtempSync(join(tmpdir(), "baton-bench-state-"));
      const time = await timeOf(() => verify(folder, state, base, text));
      rmSync(state, { recursive: true });
      if (round < 0) continue;
      diffs.push(diff);
      ours.push(time);
    }
    report(ratioBar(`verify ${NAMED} files of ${FILES}`, median(ours), median(diffs), 2, "git diff -U0"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeRepository(folder: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0", ...args], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  for (let number = 0; number < FILES; number++) writeText(folder, number, "");
  git("add", "--all");
  git("commit", "--quiet", "--message=Start");
  for (let number = 0; number < NAMED; number++) writeText(folder, number * (FILES / NAMED), "changed ");
  git("update-index", "-q", "--refresh", "--really-refresh");
  return git("rev-parse", "HEAD");
}

function pathOf(number: number): string {
  return `area-${number % 250}/part-${Math.floor(number / 250) % 10}/file-${number}.txt`;
}

function writeText(folder: string, number: number, mark: string): void {
  const path = join(folder, pathOf(number));
  mkdirSync(dirname(path), { recursive: true });
  const lines = Array.from({ length: 20 }, (_, line) => `${line === 4 ? mark : ""}line ${line} of ${number}\n`);
  writeFileSync(path, lines.join(""));
}

function handoffText(): string {
  const entries = Array.from({ length: NAMED }, (_, at) => {
    const path = pathOf(at * (FILES / NAMED));
    return `  - path: ${path}\n    lines: 1-20\n    change_type: modify\n    description: Changes line 5\n`;
  });
  return `## Handoff\n\n\`\`\`yaml\noutcome: completed\nfiles_modified:\n${entries.join("")}\`\`\`\n`;
}

async function verify(directory: string, folder: string, revision: string, text: string): Promise<void> {
  const handoff = readHandoffs(text).handoffs.at(-1)?.handoff;
  if (handoff === undefined || handoff === null) throw new Error("the handoff cannot be read");
  const repository = gitRepository({ folder, environment: { PATH: process.env["PATH"] ?? "", HOME: folder } });
  const said = listClaims(handoff);
  const claims = [...said, ...impliedClaims(handoff, said)];
  const base = await repository.chooseBase(directory, revision);
  const observations = await repository.look(directory, base, observationsNeeded(claims));
  const scene = { observations, gates: [], commands: [], ledger: null, step: null, now: 0, port: null, ownFiles: [] };
  const { confirmed } = countVerdicts(judgeClaims(claims, scene));
  if (confirmed < NAMED) throw new Error(`only ${confirmed} claims were confirmed`);
}

function gitDiff(directory: string, base: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["diff", "-U0", base, "--"], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.resume();
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

/** Wall-clock time, in nanoseconds: most of it is git's. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started);
}
