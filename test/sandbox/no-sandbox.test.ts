import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gateRunner } from "../../src/agents/run-command.ts";
import { lookForBubblewrap } from "../../src/agents/sandbox/find-bubblewrap.ts";
import type { CommandRunner } from "../../src/ports/command-runner.ts";
import { aFolder, aGate, removeFolders, runScript, withoutSandbox } from "./gates.ts";

afterAll(removeFolders);

/** As in a container that may not make namespaces. */
function forbidden(script: string): CommandRunner {
  const folder = aFolder();
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bwrap"), 0o755);
  return gateRunner({ findSandbox: () => lookForBubblewrap([folder]) });
}

const CASES: readonly (readonly [string, CommandRunner, RegExp])[] = [
  ["is not installed", withoutSandbox, /bubblewrap is not (?:installed|made for)/],
  [
    "may not make namespaces",
    forbidden('[ "$1" = --version ] && echo "bubblewrap 0.8.0" && exit; echo "bwrap: No permissions" >&2; exit 1'),
    process.platform === "linux" ? /does not work here: bwrap: No permissions/ : /bubblewrap is not made for/,
  ],
];

describe.each(CASES)("where bubblewrap %s", (_why, runner, why) => {
  it("a gate of the workflow runs, and the result says what held it", async () => {
    const result = await runScript(runner, aFolder(), "echo ran");
    expect(result).toMatchObject({ end: "exited", exitCode: 0, output: "ran\n" });
    expect(result.sandbox).toMatch(/^none: /);
    expect(result.sandbox).toMatch(why);
    expect(result.sandbox).toContain("Time and output were limited");
  });

  it("a foreign command is refused, whatever it is", async () => {
    const directory = aFolder();
    for (const text of ["touch ran", "true", "", "exit 0 # npm test"]) {
      const result = await runner.run(aGate(directory, [text], { foreign: true }));
      expect(result).toMatchObject({ end: "refused", exitCode: null });
      expect(result.output).toMatch(why);
      expect(result.output).toContain("install bubblewrap");
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  it("what is brought is a link, which is taken away again", async () => {
    const [directory, from] = [aFolder(), aFolder()];
    writeFileSync(join(from, "file"), "brought");
    const bring = [{ from, to: "deep/node_modules" }];
    expect((await runScript(runner, directory, "cat deep/node_modules/file", { bring })).output).toBe("brought");
    expect(readdirSync(directory)).toEqual([]);
    expect(existsSync(join(from, "file"))).toBe(true);
  });
});

/** As a script of npm has it: the programs of the repository's packages come first, and agents can write there. */
it("no bubblewrap is believed that lies in packages of a repository", async () => {
  const folder = join(aFolder(), "node_modules/.bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bwrap"), "#!/bin/sh\necho 'bubblewrap 0.8.0'\n", { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = `${folder}:${path}`;
  const found = await lookForBubblewrap();
  process.env["PATH"] = path;
  expect("program" in found ? found.program : "").not.toBe(join(folder, "bwrap"));
});
