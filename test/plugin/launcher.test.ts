import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const room = mkdtempSync(join(tmpdir(), "baton-launcher-"));
afterAll(() => rmSync(room, { recursive: true }));

/** A copy as a client keeps it: nothing of the package stands beside it. */
const launcher = join(room, "kept/bin/baton");
mkdirSync(dirname(launcher), { recursive: true });
cpSync(join(root, "plugin/bin/baton"), launcher);

/** Only what a shell needs: no Node. */
const tools = join(room, "tools");
mkdirSync(tools);
for (const name of ["sh", "dirname", "cat", "readlink"])
  put(join(tools, name), `#!/bin/sh\nexec /usr/bin/${name} "$@"\n`);

let homes = 0;

/** A Node of this version, which says what it was asked to run. */
function nodeOf(path: string, version: string): string {
  put(path, `#!/bin/sh\nif [ "$1" = --version ]; then echo v${version}; else echo "$0" "$@"; fi\n`);
  return path;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

interface Launched {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  readonly home: string;
}

function launch(args: readonly string[], set: (home: string) => Record<string, string>, program = launcher): Launched {
  const home = join(room, `home-${++homes}`);
  mkdirSync(home);
  const env = { HOME: home, PATH: tools, ...set(home) };
  const run = spawnSync("/bin/sh", [program, ...args], { env, cwd: home, encoding: "utf8", input: "{}" });
  return { output: run.stdout.trim(), errors: run.stderr.trim(), code: run.status, home };
}

const program = join(room, "global/lib/node_modules/baton-handoff/dist/cli/baton.cjs");
put(program, "");

describe("the launcher finds a Node that is new enough", () => {
  it.each([
    ["nvm", ".nvm/versions/node/v22.22.3/bin/node"],
    ["fnm", ".local/share/fnm/node-versions/v26.10.0/installation/bin/node"],
    ["volta", ".volta/tools/image/node/24.15.0/bin/node"],
    ["asdf", ".asdf/installs/nodejs/22.23.0/bin/node"],
    ["mise", ".local/share/mise/installs/node/25.9.0/bin/node"],
  ])("where %s keeps it, and passes over older ones", (_, place) => {
    const [version = ""] = /\d+\.\d+\.\d+/.exec(place) ?? [];
    const run = launch(["--version"], (home) => {
      for (const old of ["20.20.2", "22.22.2", "24.14.1"])
        nodeOf(join(home, `.nvm/versions/node/v${old}/bin/node`), old);
      nodeOf(join(home, place), version);
      return { BATON_PROGRAM: program };
    });
    expect(run).toMatchObject({ output: `${run.home}/${place} ${program} --version`, code: 0 });
  });

  it("takes the one that BATON_NODE names before that on PATH", () => {
    const run = launch(["--version"], (home) => {
      nodeOf(join(home, "bin/node"), "24.21.0");
      const own = nodeOf(join(home, "own/node"), "26.10.0");
      return { PATH: `${join(home, "bin")}:${tools}`, BATON_NODE: own, BATON_PROGRAM: program };
    });
    expect(run.output).toBe(`${run.home}/own/node ${program} --version`);
  });

  it("takes none that the repository brings on PATH", () => {
    const inRepository = ["node_modules/node/bin", "tools"];
    const run = launch(["--version"], (home) => {
      for (const folder of inRepository) nodeOf(join(home, folder, "node"), "26.10.0");
      nodeOf(join(home, ".nvm/versions/node/v22.22.3/bin/node"), "22.22.3");
      const [brought, written] = inRepository.map((folder) => join(home, folder));
      return { PATH: `${brought}:${written}:${tools}`, BATON_PROGRAM: program };
    });
    expect(run).toMatchObject({ output: `${run.home}/.nvm/versions/node/v22.22.3/bin/node ${program} --version` });
    // Nor from a folder below the one with the packages; one that stands elsewhere is nobody's but the operator's.
    const below = launch(["--version"], (home) => {
      nodeOf(join(home, "node_modules/node/bin/node"), "26.10.0");
      nodeOf(join(home, "other/node_modules/node/bin/node"), "24.21.0");
      mkdirSync(join(home, "packages/one"), { recursive: true });
      const path = `${join(home, "node_modules/node/bin")}:${join(home, "other/node_modules/node/bin")}:${tools}`;
      return { PATH: path, CLAUDE_PROJECT_DIR: join(home, "packages/one"), BATON_PROGRAM: program };
    });
    expect(below.output).toBe(`${below.home}/other/node_modules/node/bin/node ${program} --version`);
    // The same one, named by its operator.
    const named = launch(["--version"], (home) => ({
      BATON_NODE: nodeOf(join(home, "tools/node"), "26.10.0"),
      BATON_PROGRAM: program,
    }));
    expect(named.output).toBe(`${named.home}/tools/node ${program} --version`);
  });

  it("and the global package of that Node", () => {
    const node = nodeOf(join(room, "global/bin/node"), "24.21.0");
    expect(launch(["status"], () => ({ BATON_NODE: node })).output).toBe(`${node} ${program} status`);
  });
});

describe("without a program", () => {
  const none = { output: "", code: 3 };

  it.runIf(!hasSystemNode())("says in one line which Node is needed, and a hook passes", () => {
    expect(launch(["status"], () => ({}))).toMatchObject({
      ...none,
      errors: expect.stringContaining("needs Node 22.22.3"),
    });
  });

  it("says in one line how to install it; a session is told once, and no hook holds anybody up", () => {
    const setting = (home: string) => ({ BATON_NODE: nodeOf(join(home, "node"), "24.21.0") });
    expect(launch(["status"], setting)).toMatchObject({
      ...none,
      errors: "baton: it is not installed. Run: npm install -g baton-handoff",
    });
    const start = launch(["hook", "SessionStart"], setting);
    expect(start.code).toBe(0);
    expect(JSON.parse(start.output)).toEqual({
      systemMessage: "Baton checks no handoffs here: it is not installed. Run: npm install -g baton-handoff",
    });
    expect(launch(["hook", "Stop"], setting)).toMatchObject({ output: "{}", code: 0 });
    // Copilot shows no messages of hooks.
    const copilot = { COPILOT_PLUGIN_ROOT: "/p", CLAUDE_PLUGIN_ROOT: "/p" };
    const told = launch(["hook", "SessionStart"], (home) => ({ ...setting(home), ...copilot }));
    expect(JSON.parse(told.output)).toEqual({
      additionalContext: `Tell the person in one line: ${JSON.parse(start.output).systemMessage}`,
    });
  });

  it("runs no copy that the repository brings, on PATH or beside it", () => {
    const run = launch(["hook", "Stop"], (home) => {
      put(join(home, "node_modules/.bin/baton"), "#!/bin/sh\necho owned\n");
      put(join(home, "baton"), "#!/bin/sh\necho owned\n");
      put(join(home, "dist/cli/baton.cjs"), "");
      const node = nodeOf(join(home, "elsewhere/node"), "24.21.0");
      return { PATH: `${home}:${join(home, "node_modules/.bin")}:.:${tools}`, BATON_NODE: node };
    });
    expect(run).toMatchObject({ output: "{}", code: 0 });
  });
});

describe("the launcher tells which client calls a hook", () => {
  it.each([
    ["claude", { CLAUDE_PLUGIN_ROOT: "/kept", CLAUDE_PLUGIN_DATA: "/data" }],
    ["codex", { CLAUDE_PLUGIN_ROOT: "/kept", CLAUDE_PLUGIN_DATA: "/data", PLUGIN_ROOT: "/kept", PLUGIN_DATA: "/data" }],
    ["copilot", { CLAUDE_PLUGIN_ROOT: "/kept", COPILOT_PLUGIN_ROOT: "/kept", PLUGIN_ROOT: "/kept", CLAUDECODE: "1" }],
    // An outer client has left its own names in the environment.
    [
      "claude",
      { CLAUDE_PLUGIN_ROOT: "/kept", CLAUDE_PLUGIN_DATA: "/data", COPILOT_PLUGIN_ROOT: "/other", PLUGIN_DATA: "/x" },
    ],
  ])("%s", (client, variables) => {
    const run = launch(["hook", "Stop"], (home) => ({
      BATON_NODE: nodeOf(join(home, "node"), "24.21.0"),
      BATON_PROGRAM: program,
      ...variables,
    }));
    expect(run.output).toBe(`${run.home}/node ${program} hook Stop --client ${client}`);
  });

  it("or is told so", () => {
    const run = launch(["hook", "AfterAgent", "--client", "gemini"], (home) => ({
      BATON_NODE: nodeOf(join(home, "node"), "24.21.0"),
      BATON_PROGRAM: program,
    }));
    expect(run.output).toBe(`${run.home}/node ${program} hook AfterAgent --client gemini`);
  });
});

describe("the launcher starts the server in the project", () => {
  const said = (set: (home: string) => Record<string, string>): Launched =>
    launch(["mcp"], (home) => {
      const node = join(home, "node");
      put(node, `#!/bin/sh\nif [ "$1" = --version ]; then echo v24.21.0; else pwd -P; fi\n`);
      return { BATON_NODE: node, BATON_PROGRAM: program, ...set(home) };
    });

  it("that the client tells, or else where it was started", () => {
    expect(said(() => ({ CLAUDE_PROJECT_DIR: tools })).output).toBe(realpathSync(tools));
    const plain = said(() => ({}));
    expect(plain.output).toBe(realpathSync(plain.home));
  });

  it.runIf(existsSync("/proc/self/cwd"))("in which Copilot works, which starts it in the folder of the plugin", () => {
    expect(said((home) => ({ COPILOT_PLUGIN_ROOT: home })).output).toBe(process.cwd());
    // What stands beside the plugin is not of that project.
    const beside = launch(["mcp"], (home) => {
      put(
        join(home, "node_modules/.bin/node"),
        `#!/bin/sh\nif [ "$1" = --version ]; then echo v24.21.0; else pwd -P; fi\n`,
      );
      const path = `${join(home, "node_modules/.bin")}:${tools}`;
      return { COPILOT_PLUGIN_ROOT: home, PATH: path, BATON_PROGRAM: program };
    });
    expect(beside.output).toBe(process.cwd());
  });
});

/** One that is new enough, where the launcher looks at last. */
function hasSystemNode(): boolean {
  const empty = { HOME: room, PATH: tools, BATON_PROGRAM: program };
  return spawnSync("/bin/sh", [launcher, "--version"], { env: empty }).status === 0;
}
