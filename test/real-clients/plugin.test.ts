import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hashToTrust } from "../hash-to-trust.ts";
import { CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE, type RealClient } from "./clients.ts";
import { aRunFolder, offlineCommand, programOf, removeRunFolders, whyAbsent } from "./offline-runs.ts";

const root = join(import.meta.dirname, "../..");
const baton = join(root, "dist/cli/baton.cjs");

afterAll(removeRunFolders);

interface PluginClient {
  readonly client: RealClient;
  /** As `baton hook --client` calls it. */
  readonly name: string;
  /** Shell commands that bring the plugin into a fresh home, as the guide says. */
  readonly install: string;
  /** What asks the client for one turn; the prompt follows. */
  readonly ask: string;
  /** Files it needs besides. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the main agent can be sent back. */
  readonly gatesMain: boolean;
  /** The event at which subagents are checked; null where the client has no subagent in this test. */
  readonly subagent: string | null;
}

const CLIENTS: readonly PluginClient[] = [
  {
    client: CLAUDE,
    name: "claude",
    install: `PROGRAM plugin marketplace add ${root} && PROGRAM plugin install baton@baton`,
    ask: "PROGRAM --permission-mode dontAsk --allowedTools Agent -p",
    gatesMain: true,
    subagent: "SubagentStop",
  },
  {
    client: CODEX,
    name: "codex",
    install: `PROGRAM plugin marketplace add ${root} && PROGRAM plugin add baton@baton`,
    ask: "PROGRAM exec --skip-git-repo-check -s workspace-write --dangerously-bypass-hook-trust",
    gatesMain: true,
    subagent: null,
  },
  {
    client: COPILOT,
    name: "copilot",
    install: `PROGRAM plugin marketplace add ${root} && PROGRAM plugin install baton@baton`,
    ask: "PROGRAM --allow-all-tools --trust-folder -p",
    gatesMain: true,
    subagent: "SubagentStop",
  },
  {
    client: GEMINI,
    name: "gemini",
    install: `PROGRAM extensions install ${root}/extensions/gemini --consent`,
    ask: "PROGRAM --skip-trust --yolo -m gemini-3-pro -p",
    files: { "home/.gemini/agents/helper.md": "---\nname: helper\ndescription: Helps\n---\nYou help.\n" },
    gatesMain: true,
    subagent: "BeforeTool",
  },
  {
    client: OPENCODE,
    name: "opencode",
    install: `mkdir -p "$HOME/.config/opencode/plugin" && cp ${root}/extensions/opencode/baton.js "$HOME/.config/opencode/plugin/"`,
    ask: "PROGRAM run --auto",
    gatesMain: false,
    subagent: "SubagentStop",
  },
];

/** What an agent is told without a handoff, and with an invalid one. */
const SENT_BACK = ["Baton sends you back: you end without a handoff", "Baton sends you back: your handoff was refused"];

const SESSIONS = `baton: 1
sessions:
  main: { format: task-yaml }
  agents:
    "*": { format: task-yaml }
`;

for (const tested of CLIENTS) {
  const absence = whyAbsent(tested.client);
  const place = `${tested.client.name}${absence === null ? "" : ` (${absence})`}`;
  describe.skipIf(absence !== null)(`the plugin in ${place}`, () => {
    it("loads unmodified, and its hooks are heard of", { timeout: 180_000 }, () => {
      const turn = ask(tested, "Say that it is done.");
      expect(
        turn.heard.map(({ client }) => client),
        turn.printed,
      ).toContain(tested.name);
      expect(turn.hasTools, turn.printed).toBe(true);
      if (!tested.gatesMain) return;
      const stop = turn.heard.find(({ event }) => event === "Stop" || event === "AfterAgent");
      // Nothing, then an invalid handoff, then a valid one: it was sent back twice.
      expect(stop, turn.printed).toMatchObject({ result: "accepted", says: "main: done" });
      expect(turn.sentBack).toEqual(SENT_BACK);
    });

    it.skipIf(tested.subagent === null)("sends a subagent back, or tells its parent", { timeout: 180_000 }, () => {
      const turn = ask(tested, "Delegate it.");
      const stop = turn.heard.find(({ event }) => event === tested.subagent);
      expect(stop, turn.printed).toMatchObject({ client: tested.name, result: "accepted" });
      expect(turn.sentBack).toEqual(SENT_BACK);
    });
  });
}

describe.skipIf(whyAbsent(CLAUDE) !== null)("claude plugin validate", () => {
  it("finds nothing to report about the plugin and the marketplace", { timeout: 60_000 }, () => {
    const run = inRun(
      CLAUDE,
      `PROGRAM plugin validate ${root}/plugin --profile directory && PROGRAM plugin validate ${root}`,
    );
    expect(run.printed).toContain("These checks found nothing to report");
    expect(run.printed.match(/Validation passed$/gm)).toHaveLength(2);
  });
});

describe.skipIf(whyAbsent(GEMINI) !== null)("gemini extensions validate", () => {
  it("finds nothing wrong with the extension", { timeout: 60_000 }, () => {
    const run = inRun(GEMINI, `PROGRAM extensions validate ${root}/extensions/gemini`);
    expect(run.printed).toContain("has been successfully validated");
  });
});

interface Heard {
  readonly client: string;
  readonly event: string;
  readonly result: string;
  readonly says: string;
}

interface Turn {
  readonly heard: readonly Heard[];
  /** How the model was told that an agent was sent back, each once. */
  readonly sentBack: readonly string[];
  /** Whether the model was offered the tools of the MCP server. */
  readonly hasTools: boolean;
  readonly printed: string;
}

/** One turn of a client in a fresh home, with the plugin installed and the repository trusted. */
function ask({ client, install, ask: asking, files = {} }: PluginClient, prompt: string): Turn {
  const run = aRunFolder(client);
  for (const [path, text] of Object.entries({ ...files, "proj/baton.yaml": SESSIONS })) {
    mkdirSync(dirname(join(run, path)), { recursive: true });
    writeFileSync(join(run, path), text);
  }
  const trust = `"${process.execPath}" "${baton}" trust --hash ${hashToTrust(join(run, "proj"))}`;
  const { printed } = inRun(client, `git init -q . && ${trust} && ${install} && ${asking} "${prompt}"`, run);
  const folder = join(run, "proj/.git/baton/heard");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const told = join(run, "told.txt");
  return {
    heard: names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Heard),
    sentBack: existsSync(told) ? [...new Set(readFileSync(told, "utf8").trimEnd().split("\n"))] : [],
    hasTools: readFileSync(join(run, "req.jsonl"), "utf8").includes('validate_handoff"'),
    printed,
  };
}

/** A shell command in the place without a network, PROGRAM being the client; baton is on the PATH, as npm puts it there. */
function inRun(client: RealClient, script: string, run = aRunFolder(client)): { readonly printed: string } {
  mkdirSync(join(run, "bin"));
  symlinkSync(baton, join(run, "bin/baton"));
  const command = ["bash", "-c", script.replaceAll(/\bPROGRAM(?= )/g, programOf(client))];
  const [program = "", ...args] = offlineCommand(run, "plugin-scenario.mjs", client.variables, command);
  const path = [join(run, "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  spawnSync(program, args, { cwd: join(run, "proj"), env: { ...process.env, PATH: path } });
  return { printed: ["out.txt", "err.txt"].map((name) => readFileSync(join(run, name), "utf8")).join("") };
}
