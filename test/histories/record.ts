/**
 * Records the histories of the version that this program writes, with the built command and real processes:
 * `node test/histories/record.ts v2`. They are for the programs that come after it; see README.md.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { INSTRUCTIONS, presentAnswers, presentInstructions } from "./history.ts";

const [version = ""] = process.argv.slice(2);
if (!/^v\d+$/.test(version)) throw new Error("Name the version that this program writes, such as v2.");
const target = join(import.meta.dirname, version);
const command = join(import.meta.dirname, "../../dist/cli/baton.cjs");
const room = mkdtempSync(join(tmpdir(), "baton-record-"));
const PERSON = { NAME: "tester", EMAIL: "tester@example.org", DATE: "2026-01-01T00:00:00Z" };
const environment: Record<string, string> = {
  PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
  HOME: join(room, "home"),
  USER: "tester",
  ...Object.fromEntries(
    Object.entries(PERSON).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  ),
};

interface Entry {
  readonly kind: string;
}

class Project {
  readonly folder: string;

  constructor(name: string) {
    this.folder = join(room, name, "shop");
    cpSync(join(target, "project"), this.folder, { recursive: true });
    writeFileSync(join(this.folder, ".gitignore"), "wait\ngo\nmended\nhandoff-*.json\n");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: this.folder, env: environment });
    git("init", "--quiet", "--initial-branch", "main");
    git("add", ".");
    git("commit", "--quiet", "--message", "Begin");
  }

  baton(...args: readonly string[]): { readonly stdout: string; readonly stderr: string } {
    return spawnSync(process.execPath, [command, ...args], { cwd: this.folder, env: environment, encoding: "utf8" });
  }

  run(workflow: string, ...more: readonly string[]): void {
    this.baton("run", ...this.#trusted(workflow), ...more);
  }

  /** Kills the command when its log has what is asked for, and lets the agents that are left behind end. */
  async killWhen(workflow: string, isThere: (kinds: readonly string[]) => boolean): Promise<void> {
    const args = [command, "run", ...this.#trusted(workflow), "--quiet"];
    const child = spawn(process.execPath, args, { cwd: this.folder, env: environment, stdio: "ignore" });
    while (!isThere(this.#kinds())) await setTimeout(100);
    child.kill("SIGKILL");
    await setTimeout(300);
    this.touch("go");
    await setTimeout(500);
    rmSync(join(this.folder, "go"));
  }

  touch(file: string): void {
    writeFileSync(join(this.folder, file), "");
  }

  #trusted(workflow: string): string[] {
    const file = `workflows/${workflow}.yaml`;
    return [file, "--trust", /hash is ([0-9a-f]{64})/.exec(this.baton("check", file).stderr)?.[1] ?? ""];
  }

  #kinds(): string[] {
    const lines = this.baton("log", "--json").stdout.split("\n").filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as Entry).kind);
  }
}

function count(kinds: readonly string[], kind: string): number {
  return kinds.filter((each) => each === kind).length;
}

const HISTORIES: Readonly<Record<string, (project: Project) => void | Promise<void>>> = {
  loop: (project) => project.run("loop", "--brief", "Add up the cart"),
  granted(project) {
    project.run("rounds", "--brief", "Add up the cart");
    const [run = ""] = /\b[0-9a-f]{10}\b/.exec(project.baton("status").stdout) ?? [];
    project.baton("answer", run, "q1", "round", "Look at the empty cart");
    project.baton("resume", run);
  },
  parallel: (project) => project.run("parallel"),
  waiting: (project) => project.run("approval", "--brief", "Bring it to staging"),
  answered(project) {
    project.run("approval", "--brief", "Bring it to staging");
    project.baton("approve", "--note", "After six");
  },
  retried(project) {
    project.run("failing", "--brief", "Mend the build");
    project.touch("mended");
    project.baton("retry", "--note", "The disk is back");
  },
  pruned(project) {
    project.run("approval", "--mode", "autonomous", "--brief", "Bring it to staging");
    project.baton("prune", "--days", "0");
    project.run("failing", "--brief", "Mend the build");
  },
  blocked: (project) => project.run("blocked", "--brief", "Find out about money"),
  gates: (project) => project.run("gates", "--brief", "Show that the total is right"),
  async "killed-loop"(project) {
    project.touch("wait");
    await project.killWhen("loop", (kinds) => count(kinds, "step-started") === 4);
  },
  async "killed-parallel"(project) {
    project.touch("wait");
    await project.killWhen("parallel", (kinds) => count(kinds, "attempt-started") === 2);
  },
  async "killed-gate"(project) {
    project.touch("wait");
    await project.killWhen("gates", (kinds) => count(kinds, "handoff-accepted") === 1);
  },
  delayed: (project) => project.killWhen("delayed", (kinds) => count(kinds, "attempt-delayed") === 1),
};

/** Without the lease of the process that was killed, and in one file. */
function settle(path: string): void {
  const database = new DatabaseSync(path);
  if (path.endsWith("baton.db")) database.exec("UPDATE runs SET worker = NULL, leased_until = NULL");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

const instructions: Record<string, string> = {};
for (const [name, record] of Object.entries(HISTORIES)) {
  const project = new Project(name);
  await record(project);
  mkdirSync(join(target, name), { recursive: true });
  for (const file of ["baton.db", "knowledge.db"]) {
    const path = join(project.folder, ".git/baton", file);
    if (!existsSync(path)) continue;
    settle(path);
    writeFileSync(join(target, name, `${file}.gz`), gzipSync(readFileSync(path), { level: 9 }));
  }
  const told = JSON.stringify(await presentAnswers(project.folder), null, 1);
  writeFileSync(join(target, name, "told.json.gz"), gzipSync(`${told}\n`, { level: 9 }));
  Object.assign(instructions, await presentInstructions(project.folder));
  process.stdout.write(`${name}\n`);
}
writeFileSync(join(target, INSTRUCTIONS), gzipSync(`${JSON.stringify(instructions, null, 1)}\n`, { level: 9 }));
rmSync(room, { recursive: true, force: true });
