import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReport } from "../../src/evidence/reports/read-report.ts";
import { baton } from "./run-baton.ts";
import { type Json, claimOf, git, handoff, put, repository, verify } from "./verify-repository.ts";

const GATE = ["--run-gates", "--gate", "test=npm test", "--report", "out.xml"];
const SCRIPT = "node --test --test-reporter=junit --test-reporter-destination=out.xml";
const FORGED = `node -e "require('fs').writeFileSync('out.xml', '<testsuite><testcase name=\\\\'a\\\\'/><testcase name=\\\\'b\\\\'/></testsuite>')"`;

function withScript(test: string): string {
  return JSON.stringify({ type: "module", scripts: { test } });
}

function shop(): string {
  const folder = repository();
  put(folder, "package.json", withScript(SCRIPT));
  put(folder, "package-lock.json", "{}\n");
  git(folder, "add", "package.json", "package-lock.json");
  git(folder, "commit", "-qm", "chore: add the test script", "--", "package.json", "package-lock.json");
  for (const path of ["src/new.js", "src/old.js"]) put(folder, path, "export const later = 3;\n");
  put(folder, "done.md", handoff());
  return folder;
}

describe("what defines a gate", () => {
  it("is as it was: confirmed, and nothing is asked", async () => {
    const json = await verify(shop(), "done.md", "--base", "HEAD", ...GATE);
    expect(claimOf(json, "gate-files").verdict).toBe("confirmed");
    expect(claimOf(json, "lockfile").verdict).toBe("confirmed");
    expect(json.code).toBe(0);
  });

  it.each([
    ["a script that does nothing", "package.json", withScript("true"), "scripts.test was"],
    ["a script that writes the report itself", "package.json", withScript(FORGED), "scripts.test was"],
    ["another shell for scripts", ".npmrc", "script-shell=/bin/true\n", ".npmrc is new"],
    ["files that git does not see", ".gitignore", "src/hidden.js\n", ".gitignore is new"],
  ])("was changed to %s: a person must decide", async (_what, path, text, says) => {
    const folder = shop();
    put(folder, path, text);
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", path] }));
    const json = await verify(folder, "done.md", "--base", "HEAD", ...GATE);
    expect(claimOf(json, "gate-files")).toMatchObject({
      verdict: "refuted",
      refused: true,
      evidence: expect.stringContaining(says),
    });
    expect(json.code).toBe(1);
    const run = await baton(["verify", "done.md", "--base", "HEAD", "--format", "github", ...GATE], { cwd: folder });
    expect(run.stdout).toContain("A person must decide on this");
    const junit = await baton(["verify", "done.md", "--base", "HEAD", "--format", "junit", ...GATE], { cwd: folder });
    expect(readReport(junit.stdout, "a.xml").tests?.failed).toBeGreaterThan(0);
  });

  it("a changed lockfile is a warning", async () => {
    const folder = shop();
    put(folder, "package-lock.json", '{ "a": 1 }\n');
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "package-lock.json"] }));
    const json = await verify(folder, "done.md", "--base", "HEAD", ...GATE);
    expect(claimOf(json, "lockfile")).toMatchObject({ verdict: "refuted", refused: false });
    expect(json.code).toBe(0);
  });

  it("is said nothing about where no gate runs", async () => {
    const folder = shop();
    put(folder, "package.json", withScript("true"));
    const run = await baton(["verify", "done.md", "--base", "HEAD", "--json"], { cwd: folder });
    const json = JSON.parse(run.stdout) as Json;
    expect(JSON.stringify(json)).not.toContain("gate-files");
    expect(readFileSync(join(folder, "package.json"), "utf8")).toContain("true");
  });
});
