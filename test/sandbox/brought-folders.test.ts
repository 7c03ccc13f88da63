import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandRunner, gateRunner } from "../../src/agents/run-command.ts";
import { lookForBubblewrap } from "../../src/agents/sandbox/find-bubblewrap.ts";
import { aFolder, aGate, hasNoSandbox, removeFolders, runScript } from "./gates.ts";

afterAll(removeFolders);

const MEGABYTE = 2 ** 20;

/** As on a kernel that lays no layers for ordinary users. */
const withoutLayers = gateRunner({
  findSandbox: async () => ({ ...(await lookForBubblewrap()), layers: { why: "no layers here" } }),
});

function aPackage(): string {
  const from = join(aFolder(), "node_modules");
  mkdirSync(join(from, "one"), { recursive: true });
  writeFileSync(join(from, "one/tool"), "#!/bin/sh\necho brought\n", { mode: 0o755 });
  return from;
}

describe.skipIf(hasNoSandbox())("what is brought into the sandbox", () => {
  it("can be used, at a place in the directory and at its own", async () => {
    const [directory, from] = [aFolder(), aPackage()];
    const bring = [
      { from, to: "deep/node_modules" },
      { from, to: from },
    ];
    const command = ["deep/node_modules/one/tool"];
    expect((await commandRunner.run(aGate(directory, command, { bring }))).output).toBe("brought\n");
    expect((await runScript(commandRunner, directory, `${from}/one/tool`, { bring })).output).toBe("brought\n");
    expect(existsSync(join(directory, "deep"))).toBe(false);
  });

  it("can be changed by the gate for itself, and is not changed", async () => {
    const [directory, from] = [aFolder(), aPackage()];
    const before = statSync(join(from, "one/tool"));
    const script =
      "set -e; cd node_modules; mkdir .vite-temp; echo x > .vite-temp/new; echo '#' >> one/tool; chmod 700 one/tool; " +
      "rm -r one; mkdir one; echo 'echo other' > one/tool; touch -d 2001-01-01 .; ls -A . one; sh one/tool";
    const bring = [{ from, to: "node_modules" }];
    const result = await runScript(commandRunner, directory, script, { bring });
    expect(result).toMatchObject({ exitCode: 0, output: ".:\n.vite-temp\none\n\none:\ntool\nother\n" });
    expect(readdirSync(from, { recursive: true, encoding: "utf8" }).toSorted()).toEqual(["one", "one/tool"]);
    expect(readFileSync(join(from, "one/tool"), "utf8")).toBe("#!/bin/sh\necho brought\n");
    expect(statSync(join(from, "one/tool"))).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs });
    expect((await runScript(commandRunner, directory, "node_modules/one/tool", { bring })).output).toBe("brought\n");
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(["with blanks", "a:b,c=d\\e", "-dash", "new\nline", "quote'\"`$HOME", "ünï €"])(
    "may be in a folder that is called %j",
    async (name) => {
      const [directory, folder] = [aFolder(), join(aFolder(), name)];
      mkdirSync(join(folder, "sub"), { recursive: true });
      writeFileSync(join(folder, "sub/file"), "found\n");
      const bring = [{ from: join(folder, "sub"), to: "sub" }];
      const { output } = await runScript(commandRunner, directory, "echo x > sub/x; cat sub/file", { bring });
      expect(output).toBe("found\n");
      expect(readdirSync(join(folder, "sub"))).toEqual(["file"]);
    },
  );

  it("leads to nothing that listens or waits outside", async () => {
    const [directory, from] = [aFolder(), aPackage()];
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(join(from, "daemon.sock"));
    await once(server, "listening");
    execFileSync("mkfifo", [join(from, "pipe")]);
    const connect = (path: string): string =>
      `node -e 'net.connect("${path}").on("connect", () => console.log("REACHED")).on("error", () => {})'`;
    const script = [
      connect("node_modules/daemon.sock"),
      `touch node_modules/daemon.sock; ${connect("node_modules/daemon.sock")}`,
      `ln node_modules/daemon.sock other.sock; ${connect("other.sock")}`,
      `ln node_modules/daemon.sock node_modules/other.sock; ${connect("node_modules/other.sock")}`,
      'perl -e \'use Fcntl; print "REACHED" if sysopen(my $pipe, "node_modules/pipe", O_WRONLY | O_NONBLOCK)\'',
      "ls /sys 2> /dev/null; echo tried",
    ];
    const reader = openSync(join(from, "pipe"), constants.O_RDONLY | constants.O_NONBLOCK);
    const { output } = await runScript(commandRunner, directory, `(${script.join("; ")}) 2> /dev/null`, {
      bring: [{ from, to: "node_modules" }],
    });
    server.close();
    closeSync(reader);
    expect(output).toBe("tried\n");
    expect(connections).toBe(0);
  });

  it("takes no more of the gate's changes than the gate may have memory", async () => {
    const [directory, from] = [aFolder(), aPackage()];
    const script = "for i in 1 2 3 4; do dd if=/dev/zero of=node_modules/$i bs=1M count=30 || exit 3; done; sleep 5";
    const limits = { memory: 64 * MEGABYTE, disk: 512 * MEGABYTE, bring: [{ from, to: "node_modules" }] };
    const { end, exitCode } = await runScript(commandRunner, directory, `(${script}) 2> /dev/null`, limits);
    expect(["out-of-memory", "exited"]).toContain(end);
    expect(exitCode).not.toBe(0);
    const small = await runScript(
      commandRunner,
      directory,
      "sleep 0.3; head -c 9000000 /dev/zero > node_modules/x",
      limits,
    );
    expect(small).toMatchObject({ end: "exited", exitCode: 0 });
  });

  it("counts as memory while the gate runs", async () => {
    const [directory, from] = [aFolder(), aPackage()];
    const script = "head -c 60000000 /dev/zero > node_modules/x; head -c 60000000 /dev/zero > /tmp/x; sleep 5";
    const limits = { memory: 100 * MEGABYTE, bring: [{ from, to: "node_modules" }] };
    expect(await runScript(commandRunner, directory, script, limits)).toMatchObject({ end: "out-of-memory" });
  });

  it("can only be read where there are no layers, and the result says so", async () => {
    const [directory, from] = [aFolder(), aPackage()];
    const script = "node_modules/one/tool; (echo x > node_modules/new) 2> /dev/null || echo no";
    const result = await runScript(withoutLayers, directory, script, { bring: [{ from, to: "node_modules" }] });
    expect(result.output).toBe("brought\nno\n");
    expect(result.sandbox).toBe(
      "bubblewrap; folders from outside are read-only, sockets in them can be reached, and toolchains are not shown (no layers here)",
    );
    expect((await runScript(withoutLayers, directory, "true")).sandbox).toBe("bubblewrap");
    expect(readdirSync(from)).toEqual(["one"]);
  });
});
