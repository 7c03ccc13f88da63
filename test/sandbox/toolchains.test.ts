import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { gateRunner } from "../../src/agents/run-command.ts";
import { readToolchains } from "../../src/agents/sandbox/toolchains.ts";
import type { CommandResult } from "../../src/ports/command-runner.ts";
import { aFolder, aGate, hasNoSandbox, removeFolders, runScript } from "./gates.ts";
import { SECRET, ToolchainWorld } from "./toolchain-world.ts";

const before = { HOME: process.env["HOME"], PATH: process.env["PATH"] };
let world: ToolchainWorld;
beforeEach(() => {
  world = new ToolchainWorld();
  process.env["HOME"] = world.home;
  process.env["PATH"] = world.path;
});
afterEach(() => void Object.assign(process.env, before));
afterAll(removeFolders);

async function runHere(command: readonly string[], list = world.list): Promise<CommandResult> {
  return await gateRunner({ toolchainFile: list }).run(aGate(aFolder(), command));
}

const STAND_INS = [
  ["cargo", ["~/.cargo", "~/.rustup"]],
  ["mvn", ["~/.m2"]],
  ["gradle", ["~/.gradle/"]],
] as const;

describe.skipIf(hasNoSandbox())("a toolchain in the operator's home", () => {
  it.each(STAND_INS)("is seen by gates when the operator lists its folders: %s", async (name, folders) => {
    expect((await runHere([name, "test"])).exitCode).not.toBe(0);
    world.allow(...folders);
    const files = readdirSync(world.home, { recursive: true });
    expect(await runHere([name, "test"])).toMatchObject({
      exitCode: 0,
      output: `${name} ran\n`,
      sandbox: "bubblewrap",
    });
    expect(readdirSync(world.home, { recursive: true })).toEqual(files);
  });

  it("is seen at its own place too, and nothing else of the home is", async () => {
    world.allow("~/.rustup");
    const script = `ls -A ${world.home}; cat ${world.home}/.rustup/settings.toml; ls -A "$HOME"`;
    expect((await runHere(["sh", "-c", script])).output).toBe(".cargo\n.rustup\n.tools\nstable\n.rustup\n");
  });

  it("never shows what its tools log in with", async () => {
    world.allow("~/.cargo", "~/.m2", "~/.gradle", "~/.nvm", "~/.rustup");
    const script = `cd ${world.home} && cat .m2/repository/org/junit.jar; grep -rs SECRET ${world.home} "$HOME"; ls -A .m2 .gradle; cat .cargo/credentials.toml "$HOME/.cargo/credentials.toml" 2>&1; echo own > .m2/settings.xml; cat .m2/settings.xml`;
    const { output } = await runHere(["sh", "-c", script]);
    expect(output).not.toContain(SECRET);
    expect(output).toMatch(
      /^mvn ran\n\.gradle:\ncaches\n\n\.m2:\nrepository\ncat: .*No such file[^\n]*\ncat: [^\n]*\nown\n$/,
    );
  });

  it("may be a link of the operator's, and hold the directory of the gate", async () => {
    const other = aFolder();
    symlinkSync(other, join(world.home, "go"));
    mkdirSync(join(other, "src/project"), { recursive: true });
    world.allow("~/go");
    const runner = gateRunner({ toolchainFile: world.list });
    const script = `echo x > ${world.home}/go/cache && ls -A "$HOME/go" && echo y > result`;
    const result = await runScript(runner, join(other, "src/project"), script);
    expect(result).toMatchObject({ exitCode: 0, output: "cache\nsrc\n" });
    expect(readdirSync(other)).toEqual(["src"]);
    expect(readdirSync(join(other, "src/project"))).toEqual(["result"]);
  });
});

describe("a line of the list does not count", () => {
  it.each([
    ["tools", "named by its whole path"],
    ["./tools", "named by its whole path"],
    ["~", "named by its whole path"],
    ["~/", "the whole home"],
    ["~/.cargo/..", "the whole home"],
    ["/", "the whole home"],
    ["~/nowhere", "no such folder"],
    ["~/.npmrc", "no such folder"],
    ["~/.ssh", "it would show"],
    ["~/.local", "/.local/share/keyrings"],
    ["~/link", "/.ssh"],
    ["~/state/worktrees", "the state of Baton"],
    ["~/state", "the state of Baton"],
    ["/etc", "belongs to the system"],
    ["/proc/self", "belongs to the system"],
  ])("%s", (line, why) => {
    world.write(".local/share/keyrings/login.keyring", SECRET);
    world.write("state/worktrees/one", "");
    symlinkSync(join(world.home, ".ssh"), join(world.home, "link"));
    world.allow(line, "~/.m2");
    const { folders, problems } = readToolchains(world.list, [join(world.home, "state")]);
    expect(problems).toEqual([{ line, why: expect.stringContaining(why) }]);
    expect(folders).toMatchObject([{ from: join(world.home, ".m2") }]);
  });

  it("nor does the folder of the list itself, or one around it", () => {
    world.allow(dirname(world.list));
    expect(readToolchains(world.list, []).folders).toEqual([]);
  });

  it("nor does a list that others can change", () => {
    world.allow("~/.m2");
    chmodSync(world.list, 0o666);
    expect(readToolchains(world.list, [])).toMatchObject({
      folders: [],
      problems: [{ why: expect.stringContaining("others can change") }],
    });
    expect(readToolchains(join(dirname(world.list), "none"), [])).toEqual({ folders: [], problems: [] });
  });
});
