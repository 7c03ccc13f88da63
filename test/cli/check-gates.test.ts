import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hasNoSandbox, removeFolders } from "../sandbox/gates.ts";
import { ToolchainWorld } from "../sandbox/toolchain-world.ts";
import { baton, type Run, workroom } from "./run-baton.ts";

const folderWith = workroom();
afterAll(removeFolders);

function workflow(...gates: readonly string[]): string {
  const names = gates.map((_, at) => `gate-${at}`);
  return `baton: 1
name: sample
start: builder
agents:
  builder:
    run: { process: [node, builder.mjs] }
    dialect: phase-yaml
    gates: [${names.join(", ")}]
    routes: { done: end }
gates:
${gates.map((gate, at) => `  gate-${at}: ${gate}\n`).join("")}`;
}

class Room {
  readonly world = new ToolchainWorld();
  readonly folder: string;
  readonly #variables: Readonly<Record<string, string>>;

  constructor(gates: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    this.folder = folderWith({ "baton.yaml": workflow(...gates), "builder.mjs": "" });
    execFileSync("git", ["init", "--quiet"], { cwd: this.folder });
    execFileSync("git", ["add", "--all"], { cwd: this.folder });
    const author = ["-c", "user.name=A", "-c", "user.email=a@localhost"];
    execFileSync("git", [...author, "commit", "--quiet", "--message", "Start"], { cwd: this.folder });
    this.#variables = variables;
    mkdirSync(join(this.world.home, ".config/baton"), { recursive: true, mode: 0o700 });
  }

  allow(...lines: readonly string[]): void {
    writeFileSync(join(this.world.home, ".config/baton/toolchains"), lines.map((line) => `${line}\n`).join(""), {
      mode: 0o600,
    });
  }

  async check(...args: readonly string[]): Promise<Run> {
    const { home, path } = this.world;
    const env = { HOME: home, XDG_CONFIG_HOME: "", PATH: path, COLUMNS: "400", ...this.#variables };
    return await baton(["check", ...args], { cwd: this.folder, env });
  }

  /** Messages with their hints. */
  async findings(): Promise<string[]> {
    const { stdout } = await this.check("--json");
    const { files } = JSON.parse(stdout) as {
      files: { diagnostics: { message: string; hint: string; code: string }[] }[];
    };
    const all = files.flatMap(({ diagnostics }) => diagnostics);
    expect(all.map(({ code }) => code)).toEqual(all.map(() => "missing-program"));
    return all.map(({ message, hint }) => `${message} ${hint}`);
  }
}

const LIST = "Add this line to ~/.config/baton/toolchains:";

describe("check says which gates will not run here, and why", () => {
  it("names the folders of toolchains that gates do not see, and the lines to add", async () => {
    const room = new Room([
      "{ command: [cargo, test] }",
      "{ command: [mvn, -o, test] }",
      "{ command: [gradle, test] }",
    ]);
    const expected = [
      `\`cargo\`, which gate gate-0 runs, keeps what it needs in ~/.rustup, which gates do not see. ${LIST} ~/.rustup`,
      `\`cargo\`, which gate gate-0 runs, keeps what it needs in ~/.cargo, which gates do not see. ${LIST} ~/.cargo`,
      `\`mvn\`, which gate gate-1 runs, keeps what it needs in ~/.m2, which gates do not see. ${LIST} ~/.m2`,
      `\`gradle\`, which gate gate-2 runs, keeps what it needs in ~/.gradle, which gates do not see. ${LIST} ~/.gradle`,
    ];
    expect((await room.findings()).toSorted()).toEqual(expected.toSorted());
    expect((await room.check("--strict")).code).toBe(0);
    room.allow("~/.rustup", "~/.cargo", "~/.m2", "~/.gradle");
    expect(await room.findings()).toEqual([]);
  });

  it("tells a folder that a variable names, which the gate has to inherit", async () => {
    const other = new ToolchainWorld().home;
    const room = new Room(["{ command: [cargo, test] }", "{ command: [cargo, test], inherit: [RUSTUP_HOME] }"], {
      RUSTUP_HOME: join(other, ".rustup"),
      CARGO_HOME: "/no/such/folder",
    });
    const line = `${LIST} ${join(other, ".rustup")}`;
    const [first, second] = await room.findings();
    expect(first).toContain(`${line} And let the gate inherit its place: \`inherit: [RUSTUP_HOME]\`.`);
    expect(second).toMatch(new RegExp(`${line}$`));
  });

  it("tells a program that is not there, and one whose file gates do not see", async () => {
    const room = new Room([
      "{ command: [no-such-program] }",
      "{ command: [lint] }",
      "{ command: [script] }",
      "{ command: [own] }",
      "{ command: [sh, -c, exit 0] }",
      "{ command: [./check.sh] }",
      "{ command: [no-such-program], env: { PATH: /somewhere } }",
    ]);
    const { home } = room.world;
    room.world.write(".local/share/pipes/venvs/lint/bin/lint", "#!/bin/sh\n");
    symlinkSync(join(home, ".local/share/pipes/venvs/lint/bin/lint"), join(home, ".tools/bin/lint"));
    room.world.write("python/bin/python", "#!/bin/sh\n");
    room.world.write(".tools/bin/script", `#!${home}/python/bin/python\n`);
    writeFileSync(join(room.folder, "check.sh"), "#!/bin/sh\n");
    chmodSync(join(room.folder, "check.sh"), 0o755);
    symlinkSync(join(room.folder, "check.sh"), join(home, ".tools/bin/own"));
    expect(await room.findings()).toEqual([
      "`no-such-program`, which gate gate-0 runs, is not on the PATH of this machine. Install it, or name it with its path. Another machine may have it.",
      `\`lint\`, which gate gate-1 runs, needs ~/.local/share/pipes/venvs/lint/bin/lint, which gates do not see. ${LIST} ~/.local/share/pipes`,
      `\`script\`, which gate gate-2 runs, needs ~/python/bin/python, which gates do not see. ${LIST} ~/python`,
      expect.stringMatching(/^`own`, .*check\.sh, which gates do not see\. Name it by its path from the root/),
    ]);
  });

  it.skipIf(hasNoSandbox())("tells lines of the list that do not count", async () => {
    const room = new Room(["{ command: [mvn, test] }"]);
    room.allow("~/.m2", "~/.ssh", "~/nowhere");
    const { code, stdout, stderr } = await room.check();
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("the line ~/nowhere does not count: there is no such folder.");
    expect(stdout + stderr).toMatch(/the line ~\/\.ssh does not count: it would show .*\.ssh\./);
  });
});
