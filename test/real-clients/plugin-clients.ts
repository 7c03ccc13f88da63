import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { HookClient } from "../../src/runtime/hooks/hook-call.ts";
import type { HeardCall } from "../../src/views/hook-notices.ts";
import { hashToTrust } from "../hash-to-trust.ts";
import { CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, type RealClient } from "./clients.ts";
import { aRunFolder, offlineCommand, programOf } from "./offline-runs.ts";
import { type Plan, promptOf } from "./plan.ts";

const root = join(import.meta.dirname, "../..");
const batonProgram = join(root, "dist/cli/baton.cjs");

/** A real client with the plugin or extension for it. */
export interface PluginClient {
  readonly client: RealClient;
  /** As `baton hook --client` calls it. */
  readonly name: HookClient;
  /** Shell commands that bring the plugin into a fresh home, as the guide says. */
  readonly install: string;
  /** What asks the client for one turn; the prompt follows. */
  readonly ask: string;
  readonly files?: Readonly<Record<string, string>>;
}

export const PLUGIN_CLIENTS: readonly PluginClient[] = [
  {
    client: CLAUDE,
    name: "claude",
    install: `PROGRAM plugin marketplace add ${root} && PROGRAM plugin install baton@baton`,
    ask: "PROGRAM --permission-mode dontAsk --allowedTools Agent Workflow Write ToolSearch 'mcp__plugin_baton_baton__*' MORE -p",
  },
  {
    client: CODEX,
    name: "codex",
    install: `PROGRAM plugin marketplace add ${root} && PROGRAM plugin add baton@baton`,
    ask: "PROGRAM exec --skip-git-repo-check -s workspace-write --dangerously-bypass-hook-trust MORE",
  },
  {
    client: COPILOT,
    name: "copilot",
    install: `PROGRAM plugin marketplace add ${root} && PROGRAM plugin install baton@baton`,
    ask: "PROGRAM --allow-all-tools --trust-folder MORE -p",
  },
  {
    client: GEMINI,
    name: "gemini",
    install: `PROGRAM extensions install ${root}/extensions/gemini --consent`,
    ask: "PROGRAM --skip-trust --yolo -m gemini-3-pro MORE -p",
    files: { "home/.gemini/agents/helper.md": "---\nname: helper\ndescription: Helps\n---\nYou help.\n" },
  },
  {
    client: OPENCODE,
    name: "opencode",
    install: `mkdir -p "$HOME/.config/opencode/plugin" && cp ${root}/extensions/opencode/baton.js "$HOME/.config/opencode/plugin/"`,
    ask: "PROGRAM run --auto MORE",
  },
];

/** What one session of a client is about, and what it finds. */
export interface SessionSetting {
  /** Of the section `sessions`. */
  readonly sessions: string;
  readonly plans: readonly { readonly plan: Plan; readonly words?: string }[];
  /** Options of the client. */
  readonly more?: string;
  readonly variables?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Shell commands between the first session and the second. */
  readonly between?: string;
}

/** What the model was asked in one request. */
export interface Asked {
  readonly plan: Plan;
  readonly system: string;
  readonly tools: readonly string[];
  readonly messages: readonly {
    readonly role: string;
    readonly text: string;
    readonly toolResults: readonly { readonly text: string }[];
  }[];
}

interface ShownRun {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly reason: string | null;
  readonly done: number;
}

export interface Session {
  readonly folder: string;
  readonly heard: readonly HeardCall[];
  readonly asked: readonly Asked[];
  readonly runs: readonly ShownRun[];
  /** What `baton log` prints of the newest run; empty when there is none. */
  readonly log: string;
  readonly printed: string;
}

/** Sessions of a client in a fresh home, with the plugin installed and the repository trusted. */
export function session(tested: PluginClient, setting: SessionSetting): Session {
  const { client, install, ask } = tested;
  const folder = aRunFolder(client);
  const sessions = `baton: 1\nsessions:\n${setting.sessions}`;
  for (const [path, text] of Object.entries({ ...tested.files, ...setting.files, "proj/baton.yaml": sessions })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const asks = setting.plans.map(({ plan, words }, at) => {
    writeFileSync(join(folder, `prompt-${at}.txt`), promptOf(plan, words));
    return `${ask.replace(" MORE", setting.more === undefined ? "" : ` ${setting.more}`)} "$(cat ../prompt-${at}.txt)"`;
  });
  const steps = [
    "git init -q .",
    `baton trust --hash ${hashToTrust(join(folder, "proj"))}`,
    install,
    asks.join(`\n${setting.between ?? "true"}\n`),
  ];
  const { printed } = inRun(client, steps.join(" && "), { folder, variables: setting.variables ?? [] });
  const inProject = batonIn(folder);
  const { runs } = JSON.parse(inProject("status", "--json")) as { runs: ShownRun[] };
  return {
    folder,
    heard: readRecords<HeardCall>(join(folder, "proj/.git/baton/heard")),
    asked: readLines<Asked>(join(folder, "asked.jsonl")),
    runs,
    log: runs[0] === undefined ? "" : inProject("log", runs[0].run),
    printed,
  };
}

/** `baton` in the project of a run, as its user. */
export function batonIn(folder: string): (...args: readonly string[]) => string {
  return (...args) => {
    const env = { ...process.env, ...homeOf(folder) };
    const run = spawnSync(process.execPath, [batonProgram, ...args], { cwd: join(folder, "proj"), env });
    return run.stdout.toString();
  };
}

/** Where the user of a run keeps what is trusted. */
export function homeOf(folder: string): Readonly<Record<string, string>> {
  const home = join(folder, "home");
  return { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, ".local/state") };
}

function readRecords<T>(folder: string): T[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as T);
}

function readLines<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}

interface Place {
  readonly folder: string;
  readonly variables: readonly string[];
}

/** A shell command in the place without a network, PROGRAM being the client; baton is on the PATH, as npm puts it there. */
export function inRun(
  client: RealClient,
  script: string,
  { folder, variables }: Place = { folder: aRunFolder(client), variables: [] },
): { readonly printed: string } {
  mkdirSync(join(folder, "bin"));
  symlinkSync(batonProgram, join(folder, "bin/baton"));
  const command = ["bash", "-c", script.replaceAll(/\bPROGRAM(?= )/g, programOf(client))];
  const all = [...client.variables, ...variables];
  const [program = "", ...args] = offlineCommand(folder, "plan-scenario.mjs", all, command);
  const path = [join(folder, "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  // Seconds that all of it may take.
  spawnSync(program, args, { cwd: join(folder, "proj"), env: { ...process.env, PATH: path, T: "280" } });
  return { printed: ["out.txt", "err.txt"].map((name) => readFileSync(join(folder, name), "utf8")).join("") };
}
