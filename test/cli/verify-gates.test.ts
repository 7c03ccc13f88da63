import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReport } from "../../src/evidence/reports/read-report.ts";
import { baton, projectRoot } from "./run-baton.ts";
import { type Json, claimOf, handoff, put, repository, room, verify } from "./verify-repository.ts";
import { hashToTrust } from "../hash-to-trust.ts";

const TESTS = "test=node --test --test-reporter=junit --test-reporter-destination=out.xml";

describe("gates", () => {
  it("are not run unless they are asked for, and it is said how", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const run = await baton(["verify", "done.md", "--json"], { cwd: folder });
    expect(claimOf(JSON.parse(run.stdout) as Json, "test").verdict).toBe("unverifiable");
    expect(run.stderr).toContain("--run-gates --gate");
  });

  it("confirm what they show, in a copy that leaves no trace", async () => {
    const folder = repository();
    put(folder, "done.md", handoff({ results: { lint_passed: true } }));
    const lint = "lint=sh -c 'echo changed > src/old.js && echo x > made.txt && ls'";
    const json = await verify(folder, "done.md", "--run-gates", "--gate", TESTS, "--gate", lint, "--report", "out.xml");
    expect(json.gates).toMatchObject([
      { name: "test", passed: true, tests: { passed: 2, failed: 0, skipped: 0 }, reports: ["out.xml (JUnit XML)"] },
      { name: "lint", passed: true },
    ]);
    expect(claimOf(json, "test").verdict).toBe("confirmed");
    expect(claimOf(json, "check", "lint").verdict).toBe("confirmed");
    expect(json.code).toBe(0);
    expect(readFileSync(join(folder, "src/old.js"), "utf8")).toContain("more");
    expect(readdirSync(folder)).not.toContain("made.txt");
    expect(readdirSync(folder)).not.toContain("out.xml");
  });

  it("refute what they do not show: the tests fail on the files as they are", async () => {
    const folder = repository();
    appendFileSync(join(folder, "cart.test.js"), 'test("fails", () => { throw new Error("no"); });\n');
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "cart.test.js"] }));
    const json = await verify(folder, "done.md", "--run-gates", "--gate", TESTS, "--report", "test=out.xml");
    expect(json.gates).toMatchObject([{ passed: false, tests: { passed: 2, failed: 1 } }]);
    expect(claimOf(json, "test")).toMatchObject({ verdict: "refuted", refused: true });
    expect(json.code).toBe(1);
  });

  it("that cannot start have shown nothing", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const json = await verify(folder, "done.md", "--run-gates", "--gate", "test=no-such-program-anywhere");
    expect(json.gates).toMatchObject([{ passed: false, tests: null }]);
    expect(claimOf(json, "test").verdict).toBe("unverifiable");
  });

  it("find the modules of the workspace, which git ignores", async () => {
    const folder = repository();
    put(folder, ".git/info/exclude", "node_modules\n");
    put(folder, "node_modules/left/index.js", "export const left = 1;\n");
    put(folder, "node_modules/left/package.json", '{"type":"module","main":"index.js"}');
    put(folder, "done.md", handoff());
    const gate = "test=node --input-type=module -e 'import \"left\"'";
    expect((await verify(folder, "done.md", "--run-gates", "--gate", gate)).gates).toMatchObject([{ passed: true }]);
  });

  it("whose report leads out of the copy, or is none, give no figures", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const gate = "test=sh -c 'echo All 42 tests passed > out.txt'";
    const reports = ["out.txt", "../../out.xml", "/etc/passwd", "missing.xml"].flatMap((path) => ["--report", path]);
    const json = await verify(folder, "done.md", "--run-gates", "--gate", gate, ...reports);
    expect(json.gates[0]).toMatchObject({ passed: false, outcome: "unusable", tests: null, reports: [] });
    expect(json.gates[0]?.["problems"]).toHaveLength(4);
  });

  it.each([
    [
      "500 MB",
      "require('fs').writeFileSync('out.xml', '<'); require('fs').truncateSync('out.xml', 5e8)",
      "larger than",
    ],
    ["a link", "require('fs').symlinkSync('/etc/hostname', 'out.xml')", "has not written it"],
    ["a pipe", "require('child_process').execSync('mkfifo out.xml')", "has not written it"],
    ["a folder", "require('fs').mkdirSync('out.xml')", "has not written it"],
  ])("whose report is %s give no figures, at once", async (_name, code, why) => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const gate = `test=node --input-type=commonjs -e "${code}"`;
    const json = await verify(folder, "done.md", "--run-gates", "--gate", gate, "--report", "out.xml");
    const problems = [expect.stringContaining(why)];
    expect(json.gates[0]).toMatchObject({ passed: false, outcome: "unusable", tests: null, problems });
  });

  const outcome = (format: string, ...args: string[]) => {
    const folder = repository();
    put(folder, "done.md", handoff());
    return baton(["verify", "done.md", "--format", format, "--run-gates", ...args], { cwd: folder });
  };

  it.each(["pretty", "json", "github", "sarif", "junit"])(
    "that do not pass are findings in %s, also when no claim needs them",
    async (format) => {
      const run = await outcome(format, "--gate", "style=sh -c 'echo three faults; exit 3'");
      expect(run.code).toBe(1);
      expect(run.stdout).toMatch(/exit code 3/);
      if (format === "github")
        expect(run.stdout).toMatch(/^::error file=done.md,.*title=gate\/style failed-gate::Gate style did/m);
      if (format === "sarif") {
        expect(run.stdout).toContain('"ruleId":"gate/style"');
        expect(run.stdout).toContain('"executionSuccessful":true');
      }
      if (format === "junit") expect(readReport(run.stdout, "a.xml").tests).toMatchObject({ failed: 1 });
      if (format !== "json" && format !== "sarif") expect(run.stdout).toContain("three faults");
    },
  );

  it.each(["pretty", "json", "github", "sarif", "junit"])(
    "that could not start, or whose report is not there, leave %s without a result",
    async (format) => {
      const missing = await outcome(format, "--gate", "style=no-such-program-anywhere");
      expect(missing.code).toBe(3);
      expect(missing.stdout).toContain("it could not be started");
      for (const path of ["out.xml", "../../out.xml", "/etc/passwd"]) {
        const run = await outcome(format, "--gate", "style=true", "--report", path);
        expect(run.code, path).toBe(3);
        expect(run.stdout).toContain(path);
        if (format === "sarif") expect(run.stdout).toContain('"executionSuccessful":false');
        if (format === "junit") expect(readReport(run.stdout, "a.xml").tests).toMatchObject({ failed: 1 });
      }
    },
  );

  it("that print without end are told in plain words", async () => {
    const run = await outcome("pretty", "--gate", "style=sh -c 'yes'");
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("it printed more than it may");
  });

  it("show the end of what they printed, and the first error before it", async () => {
    const code =
      'for (let at = 0; at < 90; at++) console.log(at === 7 ? "Error: at 7" : "line " + at); process.exit(1)';
    const { stdout } = await outcome("pretty", "--gate", `style=node --input-type=module -e '${code}'`);
    expect(stdout).toContain("    Error: at 7\n");
    expect(stdout).toContain("    line 70\n");
    expect(stdout).not.toContain("line 69");
  });

  it("miss what git ignores, which is said; --bring brings it", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    put(folder, ".gitignore", "node_modules\ndist\n.env\n");
    for (const path of ["dist/main.js", "packages/a/node_modules/left/index.js", ".env"]) put(folder, path, "1;\n");
    put(folder, "packages/a/index.js", "export {};\n");
    const gate = [
      "--run-gates",
      "--gate",
      "style=sh -c 'test -f dist/main.js && test -d packages/a/node_modules/left'",
    ];
    const failed = await verify(folder, "done.md", ...gate);
    expect(failed.gates).toMatchObject([{ passed: false, missing: [".env", "dist/", "packages/a/node_modules/"] }]);
    const { stdout } = await baton(["verify", "done.md", ...gate], { cwd: folder });
    expect(stdout.replace(/\s+/g, " ")).toContain("clean copy, without what git ignores: .env, dist/");
    const brought = ["--bring", "dist/", "--bring", "packages/a/node_modules"];
    expect((await verify(folder, "done.md", ...gate, ...brought)).gates).toMatchObject([{ passed: true }]);
    for (const path of ["nothing", "../x", "/etc", "done.md"]) {
      const run = await baton(["verify", "done.md", ...gate, "--bring", path], { cwd: folder });
      expect(run).toMatchObject({ code: 3, stdout: "" });
      expect(run.stderr).toContain(`There is no folder ${path} to bring`);
    }
  });

  it("that only require something are for runs, and that is said", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const text = `baton: 1
name: shop
start: frontend-developer
agents:
  frontend-developer:
    run: { process: [node, agent.mjs] }
    dialect: output-json
    gates: [style, truth]
    routes: { done: end }
gates:
  style: { command: ["true"] }
  truth: { require: claims.refuted == 0 }
`;
    put(folder, "baton.yaml", text);
    const hash = hashToTrust(folder);
    const args = ["verify", "done.md", "--run-gates", "--workflow", "baton.yaml", "--trust", hash];
    const all = await baton(args, { cwd: folder });
    expect(all.code, all.stderr).toBe(0);
    expect(all.stderr).toContain("Not asked: truth.");
    const named = await baton([...args, "--gate", "truth"], { cwd: folder });
    expect(named).toMatchObject({ code: 2, stdout: "" });
    expect(named.stderr).toContain("asked in a run");
  });

  it("end when they are interrupted, and leave nothing", async () => {
    const folder = repository();
    const temporary = room({});
    put(folder, "done.md", handoff());
    const args = ["verify", "done.md", "--run-gates", "--gate", "test=node -e 'setInterval(() => {}, 1000)'"];
    const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), ...args], {
      cwd: folder,
      env: { ...process.env, TMPDIR: temporary },
    });
    let said = "";
    const code = await new Promise<number | null>((resolve) => {
      child.stderr.on("data", (bytes: Buffer) => {
        said += bytes.toString();
        if (said === "Running gate test ...\n") setTimeout(() => child.kill("SIGINT"), 300);
      });
      child.on("close", resolve);
    });
    expect(code, said).toBe(130);
    expect(readdirSync(temporary).filter((name) => name.startsWith("baton"))).toEqual([]);
  });

  it("come from a workflow only when it is trusted, with its policy", async () => {
    const folder = repository();
    const workflow = `baton: 1
name: shop
start: frontend-developer
agents:
  frontend-developer:
    run: { process: [node, agent.mjs] }
    dialect: output-json
    routes: { done: end }
verify: { file: warn }
gates:
  test: { command: [node, --test, --test-reporter=tap, --test-reporter-destination=out.tap], reports: [out.tap] }
`;
    put(folder, "baton.yaml", workflow);
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "src/gone.js", "baton.yaml"] }));
    const env = { XDG_CONFIG_HOME: room({}) };
    const args = ["verify", "done.md", "--run-gates", "--workflow", "baton.yaml", "--json"];
    const refused = await baton(args, { cwd: folder, env });
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("is not trusted yet");
    const hash = /--trust ([0-9a-f]{64})/.exec(refused.stderr)?.[1] ?? "";
    const run = await baton([...args, "--trust", hash], { cwd: folder, env });
    const json = JSON.parse(run.stdout) as Json;
    expect(json.gates).toMatchObject([{ name: "test", passed: true, tests: { passed: 2 } }]);
    expect(claimOf(json, "file", "gone")).toMatchObject({ verdict: "refuted", refused: false });
    expect(run.code).toBe(0);
    const untrusted = await baton(["verify", "done.md", "--workflow", "baton.yaml"], { cwd: folder, env });
    expect(untrusted).toMatchObject({ code: 3, stdout: "" });
  });

  it.each([
    [["--gate", "test=npm test"], "need --run-gates"],
    [["--bring", "dist"], "need --run-gates"],
    [["--trust", "0".repeat(64)], "is about a workflow file"],
    [["--run-gates"], "--run-gates needs gates"],
    [["--run-gates", "--gate", "test=npm test && rm -rf /"], "& has a meaning for shells only"],
    [["--run-gates", "--gate", "test=echo $HOME"], "$ has a meaning for shells only"],
    [["--run-gates", "--gate", "test=echo 'a"], "' is not closed"],
    [["--run-gates", "--gate", "test="], "it is empty"],
    [["--run-gates", "--gate", "../x=true"], "letters, digits and -"],
    [["--run-gates", "--gate", "test"], "No gate is called test"],
    [["--run-gates", "--gate", "unit=true", "--gate", "e2e=true", "--report", "a.xml"], "Which gate writes a.xml?"],
  ])("%j is wrong usage", async (args, says) => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const run = await baton(["verify", "done.md", ...args], { cwd: folder });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  });
});
