import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { commandRunner, gateRunner } from "../../src/agents/run-command.ts";
import { aFolder, aGate, hasNoSandbox, removeFolders, runScript } from "./gates.ts";

const operatorsHome = process.env["HOME"];
afterEach(() => {
  process.env["HOME"] = operatorsHome;
});
afterAll(removeFolders);

describe.skipIf(hasNoSandbox())("in the sandbox", () => {
  it("says what held it", async () => {
    expect(await runScript(commandRunner, aFolder(), "true")).toMatchObject({ sandbox: "bubblewrap", exitCode: 0 });
  });

  it("only the directory and the passing files can be written", async () => {
    // Mount points are listed too; of devices that are made on demand there is a private list.
    const all = "find / -xdev -type d | grep -v ^/tmp; find /usr /etc /opt /dev /proc/sys -xdev -maxdepth 2 -type d";
    const script = `(${all}) 2> /dev/null | while read -r d; do test -w "$d" && echo "$d"; done; for d in . /tmp "$HOME" /dev/shm; do test -w "$d" || echo "not $d"; done`;
    expect((await runScript(commandRunner, aFolder(), script)).output).toBe("/dev/pts\n/dev/shm\n");
  });

  it.each(["with blanks", "-dash", "new\nline", "quote'\"`$HOME", "ünï €", "*?[a]", "a=b,c:d"])(
    "a directory may be called %j",
    async (name) => {
      const directory = join(aFolder(), name);
      mkdirSync(directory);
      expect(await runScript(commandRunner, directory, 'pwd > here; printf "%s" "$PWD"')).toMatchObject({
        end: "exited",
        output: directory,
      });
      expect(readFileSync(join(directory, "here"), "utf8")).toBe(`${directory}\n`);
    },
  );

  it("a directory may be named by a link", async () => {
    const folder = aFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    expect((await runScript(commandRunner, join(folder, "link"), "echo x > new")).exitCode).toBe(0);
    expect(readdirSync(join(folder, "real"))).toEqual(["new"]);
  });

  it("a directory may be in the operator's home, of which nothing else is there", async () => {
    const home = aFolder();
    process.env["HOME"] = home;
    mkdirSync(join(home, "project"));
    mkdirSync(join(home, ".ssh"));
    const { output } = await runScript(commandRunner, join(home, "project"), `ls -A ${home}; echo $HOME; ls -A $HOME`);
    expect(output).toBe("project\n/tmp/home\n");
  });

  it("the home itself is not given away, and nothing above it", async () => {
    for (const directory of ["/", homedir(), dirname(homedir()), "/tmp", "/usr"])
      expect(await runScript(commandRunner, directory, "true"), directory).toMatchObject({ end: "refused" });
  });

  it("programs on the path can be used, but no path shows the home", async () => {
    const home = aFolder();
    process.env["HOME"] = home;
    mkdirSync(join(home, ".tools/bin"), { recursive: true });
    mkdirSync(join(home, ".tools/lib"));
    writeFileSync(join(home, ".tools/lib/part"), "part\n");
    writeFileSync(join(home, ".tools/secret"), "secret\n");
    writeFileSync(join(home, ".tools/bin/tool"), '#!/bin/sh\ncat "${0%/*}/../lib/part" "${0%/*}/../secret"\n', {
      mode: 0o755,
    });
    const path = process.env["PATH"];
    process.env["PATH"] = `${join(home, ".tools/bin")}:${home}:${dirname(home)}:/:${path}`;
    const { output } = await runScript(commandRunner, aFolder(), `(tool; ls -A ${home}) 2>&1`);
    process.env["PATH"] = path;
    expect(output).toMatch(/^part\ncat: .*No such file or directory\n\.tools\n$/);
  });

  it("a repository can be read and not be changed, also by git itself", async () => {
    const directory = aFolder();
    const git = (...args: string[]): string => execFileSync("git", ["-C", directory, ...args]).toString();
    git("init", "-q");
    git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "first");
    const script = "(git log --format=%s; git commit --allow-empty -m second || git config a.b c || echo no) 2>&1";
    const { output } = await runScript(commandRunner, directory, `git config --global user.email x@x; ${script}`);
    expect(output).toMatch(/^first\n[\s\S]*no\n$/);
    expect(git("log", "--format=%s")).toBe("first\n");
  });

  it.each(["../x", "/x", ".", "", "link", "link/x", "file", "file/x", "a/../../x"])(
    "nothing is brought to %j, which is elsewhere or hostile",
    async (to) => {
      const [directory, from, outside] = [aFolder(), aFolder(), aFolder()];
      symlinkSync(outside, join(directory, "link"));
      writeFileSync(join(directory, "file"), "");
      const result = await runScript(commandRunner, directory, "true", { bring: [{ from, to }] });
      expect(result.end).toBe("could-not-start");
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  it.each(["node_modules", "packages/one/node_modules"])(
    "nothing is brought that a link in the workspace leads to: %s",
    async (to) => {
      const [directory, workspace, home] = [aFolder(), aFolder(), aFolder()];
      mkdirSync(join(home, "node_modules"));
      mkdirSync(join(workspace, "packages"));
      symlinkSync(home, join(workspace, "packages/one"));
      symlinkSync(home, join(workspace, "node_modules"));
      const result = await runScript(commandRunner, directory, "true", { bring: [{ from: join(workspace, to), to }] });
      expect(result).toMatchObject({ end: "could-not-start" });
      expect(result.output).toContain("it is a link, or one is on the way there");
    },
  );

  it("what is brought may be in a workspace that the operator named by a link", async () => {
    const [directory, folder] = [aFolder(), aFolder()];
    mkdirSync(join(folder, "real/node_modules"), { recursive: true });
    symlinkSync("real", join(folder, "link"));
    const bring = [{ from: join(folder, "link/node_modules"), to: "node_modules" }];
    expect((await runScript(commandRunner, directory, "ls -d node_modules", { bring })).exitCode).toBe(0);
  });

  it("folders that are to be hidden are empty and cannot be changed", async () => {
    const directory = aFolder();
    mkdirSync(join(directory, ".baton"));
    writeFileSync(join(directory, ".baton/baton.db"), "log");
    const runner = gateRunner({ hidden: [join(directory, ".baton"), "/no/such/folder"] });
    expect((await runScript(runner, directory, "(ls -A .baton; echo x > .baton/x || echo no) 2>&1")).output).toMatch(
      /no\n$/,
    );
    expect(readdirSync(join(directory, ".baton"))).toEqual(["baton.db"]);
  });

  it("a directory in a hidden folder is all that is seen of it", async () => {
    const state = aFolder();
    const directory = join(state, "worktrees/one");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(state, "baton.db"), "log");
    const { output } = await runScript(gateRunner({ hidden: [state] }), directory, `ls -A ${state}; echo x > new`);
    expect(output).toBe("worktrees\n");
    expect(readdirSync(directory)).toEqual(["new"]);
  });

  it("the network is there when it was asked for, and else only its own loopback", async () => {
    const script = "ls /sys/class/net 2> /dev/null; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort";
    const outside = readFileSync("/proc/net/dev", "utf8").match(/^ *[^\s:|]+(?=:)/gm) ?? [];
    const all = outside.map((name) => `${name.trim()}\n`).toSorted();
    expect((await runScript(commandRunner, aFolder(), script)).output).toBe("lo\n");
    expect((await runScript(commandRunner, aFolder(), script, { network: true })).output).toBe(all.join(""));
  });

  it("a server of the gate's own can be reached by the gate", async () => {
    const script =
      'const s = require("net").createServer((c) => c.end("hello")).listen(0, "127.0.0.1", () => require("net").connect(s.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); s.close(); }))';
    expect((await commandRunner.run(aGate(aFolder(), ["node", "-e", script]))).output).toBe("hello\n");
  });

  it("variables of the gate do not reach the program that holds it", async () => {
    const directory = aFolder();
    const environment = { LD_PRELOAD: "/no/such/library.so", BASH_ENV: "/no/such/file", OWN: "own" };
    const { output } = await runScript(commandRunner, directory, "cat /proc/1/environ; echo $OWN", { environment });
    expect(output).toContain("own\n");
    expect(output).not.toContain("OWN=");
  });

  it("a foreign command is a text for a shell", async () => {
    const gate = aGate(aFolder(), ['echo "$0 a" | cat; exit 7'], { foreign: true });
    expect(await commandRunner.run(gate)).toMatchObject({ end: "exited", exitCode: 7, sandbox: "bubblewrap" });
    for (const command of [[], [""], [" "], ["a", "b"], ["a\0b"]])
      expect(await commandRunner.run({ ...gate, command }), JSON.stringify(command)).toMatchObject({
        end: "could-not-start",
      });
  });
});
