import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SetupFinding } from "../../src/runtime/operations/examine-setup.ts";
import { hashToTrust } from "../hash-to-trust.ts";
import { type Run, baton } from "./run-baton.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SESSIONS = "baton: 1\nsessions:\n  main: { format: task-yaml }\n";
const SECRET = "sk-do-not-show-me";

interface Patient {
  readonly root: string;
  readonly home: string;
  run(...args: string[]): Promise<Run>;
  findings(): Promise<readonly SetupFinding[]>;
  client(name: string): Promise<SetupFinding | undefined>;
}

/** A repository, and the home of a user with these clients and settings. */
function patient(files: Readonly<Record<string, string>>, clients: Readonly<Record<string, string>> = {}): Patient {
  const place = mkdtempSync(join(folder, "case-"));
  const [root, home, bin] = [join(place, "repository"), join(place, "home"), join(place, "bin")];
  for (const made of [root, home, bin]) mkdirSync(made);
  execFileSync("git", ["init", "-q", root]);
  for (const [path, text] of Object.entries(files)) put(join(place, path), text);
  for (const [name, version] of Object.entries(clients)) {
    put(join(bin, name), `#!/bin/sh\necho "${version}. (a client)"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, XDG_CONFIG_HOME: join(home, ".config"), API_KEY: SECRET };
  const run = async (...args: string[]): Promise<Run> => baton(args, { cwd: root, env });
  const findings = async (): Promise<readonly SetupFinding[]> => {
    const { stdout } = await run("doctor", "--json");
    return (JSON.parse(stdout) as { findings: SetupFinding[] }).findings;
  };
  const client = async (name: string): Promise<SetupFinding | undefined> =>
    (await findings()).find((finding) => finding.client === name);
  return { root, home, run, findings, client };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe("baton doctor", () => {
  it("finds nothing wrong where nothing was asked for, and names what could be", async () => {
    const run = await patient({}, { claude: "2.1.326" }).run("doctor");
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/✓ Node \d+\.\d+\.\d+ with SQLite /);
    expect(run.stdout).toContain("✓ git version ");
    expect(run.stdout).toContain("baton.yaml has no section `sessions`");
    expect(run.stdout).toMatch(
      /Claude Code 2\.1\.326: no hooks of Baton.*\n +fix: claude plugin marketplace add ".+" && /,
    );
    expect(run.stdout).toContain("Nothing is wrong.");
  });

  it("is wrong where agents owe a handoff and nobody would ask for it: not trusted, no hooks", async () => {
    const ill = patient({ "repository/baton.yaml": SESSIONS }, { claude: "2.1.326" });
    const run = await ill.run("doctor");
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("baton.yaml, or the workflow that it names, is not trusted.");
    expect(run.stdout).toContain("fix: Look at it with `baton check`, then `baton trust`.");
    expect(await ill.client("claude")).toMatchObject({ is: "wrong" });
  });

  it.each([
    ["claude", "home/.claude/settings.json", '{"enabledPlugins":{"baton@baton":true}}'],
    ["claude", "repository/.claude/settings.json", '{"hooks":{"Stop":[{"hooks":[{"command":"baton hook Stop"}]}]}}'],
    ["copilot", "home/.copilot/settings.json", '{"enabledPlugins":{"baton@somewhere":true}}'],
    ["gemini", "home/.gemini/extensions/baton/hooks/hooks.json", 'sh "${extensionPath}/bin/baton" hook AfterAgent'],
    ["opencode", "home/.config/opencode/plugin/baton.js", 'const args = ["-c", "/", "hook", event];'],
  ])("sees the hooks of %s in %s, and that they were not heard of yet", async (client, file, text) => {
    const found = await patient({ [file]: text }, { [client]: "1.2.3" }).client(client);
    expect(found).toMatchObject({ is: "note", says: expect.stringContaining("not heard of in this repository yet") });
    expect(found?.says).toContain(file.slice(file.indexOf("/")));
  });

  it("takes no plugin that is turned off for one that is there", async () => {
    const off = { "home/.claude/settings.json": '{"enabledPlugins":{"baton@baton":false,"other@x":true}}' };
    expect(await patient(off, { claude: "1.0.0" }).client("claude")).toMatchObject({
      is: "note",
      fix: expect.stringContaining("install baton@baton"),
    });
  });

  it("sees that Codex skips hooks which nobody has trusted", async () => {
    const config = '[plugins."baton@baton"]\nenabled = true\n';
    const state = (event: string): string =>
      `[hooks.state."baton@baton:hooks/hooks.json:${event}:0:0"]\ntrusted_hash = "sha256:1"\n`;
    const untrusted = { "home/.codex/config.toml": config + state("stop") };
    expect(await patient(untrusted, { codex: "0.169.0" }).client("codex")).toMatchObject({
      is: "wrong",
      fix: expect.stringContaining("/hooks"),
    });
    const trusted = { "home/.codex/config.toml": config + state("stop") + state("subagent_stop") };
    expect(await patient(trusted, { codex: "0.169.0" }).client("codex")).toMatchObject({ is: "note" });
  });

  it("sees a program that hooks name and that is not there, and so does `baton status`", async () => {
    const command = '"command":"node \\"/gone/baton.cjs\\" hook Stop --client claude"';
    const files = {
      "repository/baton.yaml": SESSIONS,
      "home/.claude/settings.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command",${command}}]}]}}`,
    };
    const ill = patient(files, { claude: "2.1.326" });
    await ill.run("trust", "--hash", hashToTrust(ill.root));
    expect(await ill.client("claude")).toMatchObject({
      is: "wrong",
      says: expect.stringContaining("name /gone/baton.cjs, which is not there"),
      fix: expect.stringContaining("install baton@baton"),
    });
    const { stderr } = await ill.run("status");
    expect(stderr).toContain("name /gone/baton.cjs, which is not there: Claude Code goes on in silence");
  });

  it("lets `baton status` say that Codex skips hooks which nobody has trusted", async () => {
    const config = '[plugins."baton@baton"]\nenabled = true\n';
    const ill = patient({ "repository/baton.yaml": SESSIONS, "home/.codex/config.toml": config }, { codex: "0.169.0" });
    await ill.run("trust", "--hash", hashToTrust(ill.root));
    const { stderr } = await ill.run("status");
    expect(stderr).toContain("are not trusted by Codex, which skips them in silence");
    expect(stderr).toContain("To trust them, start codex, type /hooks");
  });

  it("tells what was heard of, and is content with it", async () => {
    const well = patient({ "repository/baton.yaml": SESSIONS }, { claude: "2.1.326" });
    await well.run("trust", "--hash", hashToTrust(well.root));
    const input = JSON.stringify({ session_id: "s", cwd: well.root, last_assistant_message: "done" });
    const env = { HOME: well.home, XDG_CONFIG_HOME: join(well.home, ".config") };
    await baton(["hook", "Stop", "--client", "claude"], { cwd: well.root, env, input });
    expect(await well.client("claude")).toMatchObject({ is: "fine", says: expect.stringMatching(/heard of .*Stop/) });
    expect((await well.findings()).filter(({ is }) => is === "wrong")).toEqual([]);
  });

  it("finds a format of one's own that cannot be used", async () => {
    const broken = patient({ "repository/baton.format.yaml": "nonsense: true\n" });
    expect((await broken.findings()).find(({ about }) => about === "formats")).toMatchObject({
      is: "wrong",
      fix: "baton format check",
    });
  });

  it("runs no program of the repository, and shows no secret", async () => {
    const own = patient({ "repository/bin/claude": "#!/bin/sh\necho 6.6.6\ntouch owned\n" });
    chmodSync(join(own.root, "bin/claude"), 0o755);
    const env = { HOME: own.home, PATH: `${own.root}/bin:/usr/bin:/bin`, API_KEY: SECRET };
    const run = await baton(["doctor", "--json"], { cwd: own.root, env });
    expect(run.stdout).not.toContain("6.6.6");
    expect(run.stdout).not.toContain(SECRET);
  });
});
