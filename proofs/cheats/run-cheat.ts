import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";
import type { Cheat, Printed, RunJson, RunShown, Shown, User } from "./cheat.ts";
import { CHEATS } from "./cheats.ts";
import { SHOP, VITEST_SHOP, WORKFLOW } from "./shop.ts";

const root = join(import.meta.dirname, "../..");
const node = join(root, "node_modules/node/bin/node");
/** Another build can be tried, too. */
const command = process.env["BATON_COMMAND"] ?? join(root, "dist/cli/baton.cjs");

const VERDICTS = ["unnoticed", "told", "asked", "stopped"] as const;
type Verdict = (typeof VERDICTS)[number];

/** A row of the README. */
export interface Row {
  readonly id: string;
  readonly does: string;
  readonly least: Verdict | "honest";
}

interface Outcome {
  readonly verdict: Verdict | "honest";
  readonly isRight: boolean;
  readonly shown: Shown;
  readonly room: string;
}

export function readRows(): Row[] {
  const lines = readFileSync(join(import.meta.dirname, "README.md"), "utf8").split("\n");
  return lines
    .filter((line) => /^\| [A-Z]\d\d \|/.test(line))
    .map((line) => {
      const [, id = "", does = "", least = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { id, does, least: least as Row["least"] };
    });
}

/** Lets the agents of a row work, and says what a user saw of it. */
export async function runCheat({ id, least }: Row, keep = false): Promise<Outcome> {
  const cheat = CHEATS[id];
  if (cheat === undefined) throw new Error(`Nothing is written for ${id}.`);
  const room = mkdtempSync(join(tmpdir(), `baton-cheat-${id}-`));
  try {
    prepare(room, id, cheat);
    const user = userIn(room);
    const shown = await (cheat.user?.(user) ?? user.runWorkflow());
    const verdict = least === "honest" ? honestVerdict(shown) : verdictOf(shown, cheat.shows ?? /(?!)/);
    const isRight =
      least === "honest" ? verdict === "honest" : VERDICTS.indexOf(verdict as Verdict) >= VERDICTS.indexOf(least);
    return { verdict, isRight, shown, room };
  } finally {
    if (!keep) rmSync(room, { recursive: true, force: true, maxRetries: 3 });
  }
}

function verdictOf(shown: Shown, shows: RegExp): Verdict {
  return (["stopped", "asked", "told"] as const).find((how) => shows.test(shown[how])) ?? "unnoticed";
}

function honestVerdict({ stopped, asked, told }: Shown): Verdict | "honest" {
  if (stopped !== "") return "stopped";
  if (asked !== "") return "asked";
  return /\(honest\)/.test(told) ? "honest" : "told";
}

function userIn(room: string): User {
  const repository = join(room, "repository");
  const baton: User["baton"] = async (...args) => start(room, repository, args);
  const user: User = {
    room,
    repository,
    root,
    baton,
    elsewhere: async (folder, ...args) => start(room, folder, args, folder.endsWith("clone") ? "stranger" : "home"),
    git: (...args) => execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim(),
    write: (path, text) => write(join(repository, path), text),
    read: (path) => readFileSync(join(repository, path), "utf8"),
    ready: (name) => READY_WORKFLOWS[name as keyof typeof READY_WORKFLOWS].text,
    async show(run) {
      const { text } = await baton("status", run, "--json");
      return JSON.parse(text) as RunJson;
    },
    async runWorkflow(...options) {
      await baton("trust", "baton.yaml", ...(await hashFlag(baton)));
      return showRun(room, await baton("run", "baton.yaml", "--json", ...options));
    },
  };
  return user;
}

/** A user who has looked at the file trusts what is there. */
async function hashFlag(baton: User["baton"]): Promise<string[]> {
  const { out } = await baton("check", "baton.yaml", "--json");
  const { hash } = JSON.parse(out) as { hash?: string };
  return hash === undefined ? [] : ["--hash", hash];
}

/** What the end of a run and its questions say. */
function showRun(room: string, { code, text, out, err }: Printed): RunShown {
  const starts = join(room, "started");
  const started = existsSync(starts) ? readFileSync(starts, "utf8").trim().split("\n") : [];
  const view = readRun(out);
  if (view === null) return { run: "", status: "", code, started, stopped: text, asked: "", told: "" };
  const told = `${loudLines(err)}\n${view.remarks.map((remark) => JSON.stringify(remark)).join("\n")}`;
  const isHonest = view.status === "completed" && code === 0 && view.remarks.length === 0;
  return {
    run: view.run,
    status: view.status,
    code,
    started,
    stopped: view.status === "failed" || code === 3 ? told : "",
    asked: view.status === "waiting" ? `${JSON.stringify(view.asks)}\n${told}` : "",
    told: `${told}${isHonest ? "\n(honest)" : ""}`,
  };
}

/** Null where nothing was started: what refuses prints JSON, too. */
function readRun(text: string): RunJson | null {
  try {
    const value = JSON.parse(text) as RunJson;
    return "remarks" in value ? value : null;
  } catch {
    return null;
  }
}

/** Without the lines of progress that say that all is well, or name what happened without an opinion. */
function loudLines(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^ +[\d.]+ s {2}[·✓▶]/.test(line) && !line.startsWith("`baton log"))
    .join("\n");
}

async function start(room: string, cwd: string, args: readonly string[], home = "home"): Promise<Printed> {
  const env = {
    PATH: [...pathOf(room), dirname(node), process.env["PATH"]].join(delimiter),
    HOME: join(room, home),
    TMPDIR: process.env["TMPDIR"] ?? tmpdir(),
    XDG_CACHE_HOME: join(tmpdir(), "baton-cheats-cache"),
    LANG: "C.UTF-8",
    USER: "shopkeeper",
  };
  const child = spawn(node, [command, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const printed = [out, err].map((parts) => String(Buffer.concat(parts)));
  return { code, text: printed.join(""), out: printed[0] ?? "", err: printed[1] ?? "" };
}

/** What stands first on the PATH of the user: a folder of their own, and what a row adds. */
function pathOf(room: string): string[] {
  const more = CHEATS[readFileSync(join(room, "id"), "utf8")]?.path;
  return [...(more === undefined ? [] : [join(room, more)]), join(room, "home/bin")];
}

function prepare(room: string, id: string, cheat: Cheat): void {
  const repository = join(room, "repository");
  write(join(room, "id"), id);
  write(join(room, "command.json"), JSON.stringify({ node, command }));
  mkdirSync(join(room, "home/bin"), { recursive: true });
  for (const file of readdirSync(import.meta.dirname).filter(isForAgents))
    write(join(room, "agent", file.replace(".ts", ".mjs")), withoutTypes(file));
  const agent = `import { behave } from ${JSON.stringify(join(room, "agent/behave.mjs"))};\nbehave(${JSON.stringify(room)});\n`;
  const files = {
    ...SHOP,
    ...(cheat.vitest === true ? VITEST_SHOP : {}),
    "agents/builder.mjs": agent,
    "agents/tester.mjs": agent,
    "baton.yaml": (cheat.workflow ?? String)(WORKFLOW),
    ...cheat.files,
  };
  for (const [path, text] of Object.entries(files)) write(join(repository, path), text);
  if (cheat.vitest === true) linkPackages(repository);
  // An hour old: git notes whole seconds, and what was committed in the second in which a run starts may be its work.
  const then = new Date(Date.now() - 3_600_000).toISOString();
  const env = { ...process.env, GIT_AUTHOR_DATE: then, GIT_COMMITTER_DATE: then };
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: repository, env });
  git("init", "--quiet", "--initial-branch=main");
  const settings = {
    "user.name": "Shopkeeper",
    "user.email": "shop@localhost",
    "commit.gpgsign": "false",
    "gc.auto": "0",
  };
  for (const [key, value] of Object.entries(settings)) git("config", key, value);
  git("commit", "--quiet", "--allow-empty", "--message", "Begin");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
}

/** Vitest with everything that it needs; no agent of such a row changes it. */
function linkPackages(repository: string): void {
  const modules = join(root, "node_modules");
  const wanted = ["vitest", "vite"];
  for (const name of wanted) {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(modules, name, "package.json"), "utf8"),
    ) as Record<string, Record<string, string>>;
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (!wanted.includes(one) && existsSync(join(modules, one))) wanted.push(one);
  }
  mkdirSync(join(repository, "node_modules/.bin"), { recursive: true });
  for (const name of wanted) {
    mkdirSync(dirname(join(repository, "node_modules", name)), { recursive: true });
    execFileSync("cp", ["-a", join(modules, name), join(repository, "node_modules", name)]);
  }
  cpSync(join(modules, ".bin/vitest"), join(repository, "node_modules/.bin/vitest"), { verbatimSymlinks: true });
}

function isForAgents(name: string): boolean {
  return name.endsWith(".ts") && name !== "main.ts" && name !== "run-cheat.ts";
}

const stripped = new Map<string, string>();

function withoutTypes(name: string): string {
  const source = (): string => readFileSync(join(import.meta.dirname, name), "utf8");
  const text = stripped.get(name) ?? stripTypeScriptTypes(source()).replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.mjs"');
  stripped.set(name, text);
  return text;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
