import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gitRepository } from "../../src/git/git-repository.ts";
import type { NeededObservations } from "../../src/evidence/observations.ts";
import { observationsNeeded } from "../../src/evidence/observations-needed.ts";

/** What editors, test runners and Baton itself do: a file is written under another name, and gets its own by renaming. */
const RESTLESS = `
  const { writeFileSync, renameSync, rmSync } = require("node:fs");
  process.stdout.write("ready\\n");
  for (let at = 0; ; at += 1) {
    for (let each = 0; each < 20; each += 1) writeFileSync("docs/.page-" + each + ".tmp", "page " + at);
    renameSync("docs/.page-0.tmp", "docs/page.md");
    for (let each = 1; each < 20; each += 1) rmSync("docs/.page-" + each + ".tmp");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
  }
`;

describe("a workspace in which files come and go", () => {
  const room = mkdtempSync(join(tmpdir(), "baton-vanishing-"));
  const folder = join(room, "repository");
  const repository = gitRepository({ folder: join(room, "state"), environment: { PATH: process.env["PATH"] ?? "" } });
  let restless: ChildProcess | undefined;

  beforeAll(async () => {
    mkdirSync(join(folder, "docs"), { recursive: true });
    for (let at = 0; at < 50; at += 1) writeFileSync(join(folder, `src-${at}.txt`), `line ${at}\n`);
    execFileSync("git", ["init", "--quiet", folder]);
    restless = spawn(process.execPath, ["-e", RESTLESS], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    if (restless.stdout !== null) await once(restless.stdout, "data");
  });
  afterAll(async () => {
    if (restless?.kill("SIGKILL") === true) await once(restless, "exit");
    rmSync(room, { recursive: true, force: true });
  });

  it("can be noted, with the files that stay", async () => {
    for (let at = 0; at < 30; at += 1) {
      writeFileSync(join(folder, "stays.txt"), `version ${at}\n`);
      const snapshot = await repository.snapshot(folder);
      const [text] = await repository.texts(folder, snapshot?.tree ?? "", ["stays.txt"], 100);
      expect(text).toMatchObject({ before: `version ${at}\n` });
    }
  });

  it("can be compared, renamed files too", async () => {
    const base = await repository.mark(folder, "before");
    renameSync(join(folder, "src-1.txt"), join(folder, "renamed.txt"));
    const needs: NeededObservations = { ...observationsNeeded([]), changes: true };
    for (let at = 0; at < 30; at += 1) {
      const { changes } = await repository.look(folder, base && { ...base, name: "before" }, needs);
      expect(changes.get("renamed.txt")).toMatchObject({ from: "src-1.txt" });
    }
  });
});
