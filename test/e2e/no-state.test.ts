import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baton, projectRoot, shellLine, workroom } from "../cli/run-baton.ts";
import { type Repository, examples } from "./workflows/repository.ts";

const folderWith = workroom();
const example = examples();

/** A repository in which nothing was run yet. */
function freshRepository(): { folder: string; env: Record<string, string> } {
  const folder = folderWith({ "README.md": "# Here\n" });
  execFileSync("git", ["init", "--quiet", folder]);
  const home = folderWith({});
  return { folder, env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), TMPDIR: folderWith({}) } };
}

/** What commands answer where there is nothing: exit code, and words that say what to do. */
const LOOKING: readonly (readonly [line: string, code: number, words: RegExp])[] = [
  ["status", 0, /There is no run yet\. `baton run` starts one\./],
  ["log", 2, /There is no run yet\.\n.*`baton run` starts one/],
  ["report", 0, /There is no run to report on\. `baton run` starts one\./],
  ["watch", 2, /There is no run yet/],
  ["watch --all", 0, /No run is active\. `baton run` starts one\./],
  ["replay", 2, /There is no run yet/],
  ["journal", 0, /There is no run yet\. `baton run` starts one\./],
  ["context", 2, /There is no run yet/],
  ["context --about money", 0, /No known fact is about this work/],
  ["audit verify", 0, /empty: the log has no entries yet.*`baton run` writes the first ones/],
  ["audit head", 0, /The log is empty: there is no head yet/],
  ["audit export", 0, /"entries":0/],
  ["knowledge search", 0, /There are no facts yet/],
  ["knowledge show pattern-001", 2, /There is no fact pattern-001/],
  ["knowledge tasks", 0, /baton knowledge search/],
  ["knowledge graph", 0, /There are no facts yet/],
  ["knowledge export", 0, /"nodes": \[\]/],
  ["completion bash", 0, /baton/],
  ["resume", 2, /There is no run yet/],
  ["retry", 2, /There is no run yet/],
  ["cancel", 2, /There is no run yet/],
  ["approve", 2, /There is no run yet/],
  ["knowledge promote pattern-001", 2, /There is no fact pattern-001/],
];

describe("a command that needs no state, where there is none,", () => {
  it.each(LOOKING)("%s: answers, and makes nothing", async (line, code, words) => {
    const { folder, env } = freshRepository();
    const before = readdirSync(folder);
    const run = await baton(line.split(" "), { cwd: folder, env });
    expect([line, run.code, `${run.stdout}${run.stderr}`]).toEqual([line, code, expect.stringMatching(words)]);
    expect(readdirSync(folder)).toEqual(before);
    expect(readdirSync(env["TMPDIR"] ?? "").filter((name) => name.startsWith("baton"))).toEqual([]);
  });

  it.each([
    ["status", { runs: [] }],
    ["report", { run: null, runs: [], metrics: { runs: 0 } }],
    ["journal", { journal: null }],
    ["audit verify", { verdict: "empty", counts: { entries: 0, runs: 0 }, findings: [] }],
    ["audit head", null],
    ["knowledge search", { facts: [] }],
    ["knowledge tasks", { tasks: [] }],
    ["knowledge graph", { nodes: [], edges: [], isCut: false }],
    ["context --about money", { run: null, sections: [], left_out: [] }],
  ])("%s --json: has its usual shape", async (line, shape) => {
    const { folder, env } = freshRepository();
    const run = await baton([...line.split(" "), "--json"], { cwd: folder, env });
    expect(run.code).toBe(0);
    const told: unknown = JSON.parse(run.stdout);
    if (shape === null) expect(told).toBeNull();
    else expect(told).toMatchObject(shape);
    expect(existsSync(join(folder, ".git/baton"))).toBe(false);
  });

  it("leaves a folder that BATON_STATE names to whoever writes first", async () => {
    const { folder, env } = freshRepository();
    const state = join(folder, "elsewhere/state");
    expect((await baton(["status"], { cwd: folder, env: { ...env, BATON_STATE: state } })).code).toBe(0);
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);
  });

  it("does not take for nothing what it cannot look at", async () => {
    const { folder, env } = freshRepository();
    writeFileSync(join(folder, ".git/baton"), "a file");
    const run = await baton(["status"], { cwd: folder, env });
    expect(run).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("is not a folder") });
  });

  it("leaves nothing behind when its reader has gone away", () => {
    const { folder, env } = freshRepository();
    const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
    shellLine(`${exports.join("; ")}; (sleep 0.5; baton audit export) | true`, folder);
    expect(readdirSync(env["TMPDIR"] ?? "").filter((name) => name.startsWith("baton"))).toEqual([]);
  });

  it("remembers that there was a log", async () => {
    const repository = example("pipeline");
    await repository.baton("trust", "pipeline");
    await repository.baton("run", "pipeline", "--quiet", "--mode", "supervised");
    rmSync(join(repository.folder, ".git/baton"), { recursive: true });
    const verified = await repository.baton("audit", "verify");
    expect(verified.code).toBe(1);
    expect(verified.stdout).not.toMatch(/^(?:empty|intact)/);
    expect(existsSync(join(repository.folder, ".git/baton"))).toBe(false);
  });
});

describe("a command that writes", () => {
  it("makes the state as ever", async () => {
    const { folder, env } = freshRepository();
    const graph = folderWith({ "graph.json": JSON.stringify({ version: 1, nodes: [], tag_index: {} }) });
    await baton(["knowledge", "import", join(graph, "graph.json")], { cwd: folder, env });
    expect(readdirSync(join(folder, ".git/baton"))).toContain("baton.db");
  });
});

/** Root may write anywhere: only a mount takes that from it. */
function hasNoMounts(): boolean {
  const works = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;
  if (works || process.env["CI"] !== undefined) return false;
  console.log("left out: bubblewrap, which mounts a state so that nobody can write it, cannot be used");
  return true;
}

describe.skipIf(hasNoMounts())("a state that cannot be written", () => {
  let repository: Repository;
  const room = mkdtempSync(join(tmpdir(), "baton-e2e-"));
  afterAll(() => rmSync(room, { recursive: true, force: true }));

  beforeAll(async () => {
    repository = example("tasks");
    await repository.baton("trust", "tasks");
    const ran = await repository.baton("run", "tasks", "--tasks", "tasks/*.md", "--quiet");
    if (ran.code !== 0) throw new Error(ran.stderr);
  });

  function reading(line: string, state = join(repository.folder, ".git/baton")) {
    const mounts = ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", state, state];
    const command = [process.execPath, join(projectRoot, "dist/cli/baton.cjs"), ...line.split(" ")];
    const env = { ...process.env, ...repository.environment, BATON_STATE: state };
    const run = spawnSync("bwrap", [...mounts, ...command], { cwd: repository.folder, env, encoding: "utf8" });
    return { code: run.status, stdout: run.stdout, stderr: run.stderr };
  }

  /** Without what tells when it was made. */
  function timeless(text: string): string[] {
    return text.split("\n").filter((line) => line !== "" && !/^Made |"type":"(?:baton-audit-export|end)"/.test(line));
  }

  it.each(["status", "log", "report", "replay", "journal", "audit verify", "audit export", "knowledge search"])(
    "is read: %s",
    async (line) => {
      const usual = await repository.baton(...line.split(" "));
      const read = reading(line);
      expect([read.code, read.stderr]).toEqual([usual.code, usual.stderr]);
      expect(timeless(read.stdout)).toEqual(timeless(usual.stdout));
      expect(timeless(read.stdout)).not.toEqual([]);
    },
  );

  it("is read also when what was written last is still in the log beside the database", () => {
    const state = join(room, "killed");
    cpSync(join(repository.folder, ".git/baton"), state, { recursive: true });
    const writeAndDie = `
      const { DatabaseSync } = require("node:sqlite");
      const database = new DatabaseSync(process.argv[1]);
      database.exec("PRAGMA journal_mode = WAL; UPDATE runs SET name = 'renamed'");
      process.kill(process.pid, "SIGKILL");`;
    spawnSync(process.execPath, ["-e", writeAndDie, join(state, "baton.db")]);
    expect(readdirSync(state)).toContain("baton.db-wal");
    expect(reading("status", state)).toMatchObject({ code: 0, stdout: expect.stringContaining("renamed") });
  });

  it("knows nothing where nothing was learned", () => {
    const state = join(room, "unlearned");
    cpSync(join(repository.folder, ".git/baton"), state, { recursive: true });
    rmSync(join(state, "knowledge.db"));
    const search = reading("knowledge search", state);
    expect(search).toMatchObject({ code: 0, stderr: expect.stringContaining("There are no facts yet") });
    expect(readdirSync(state)).not.toContain("knowledge.db");
  });

  it("refuses what would change it", () => {
    const run = reading("run tasks --tasks tasks/*.md");
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining("cannot be written: EROFS") });
    const change = reading("knowledge import /dev/null");
    expect(change.code).not.toBe(0);
  });
});
