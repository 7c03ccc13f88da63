import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Repository, examples, ofKind } from "./repository.ts";

const example = examples();

/** The shop with one agent, a placeholder that also does this to the files; a gate runs the tests. */
async function shop(work: string, keys = "", verify = "undeclared: record", writesTests = true): Promise<Repository> {
  const repository = example("pipeline");
  const { folder, baton, git } = repository;
  await baton("init", "--yes", "--workflow", "tasks", "--agent", "script");
  const agent = join(folder, "agents/implementer.mjs");
  const text = readFileSync(agent, "utf8").replace(/^#!.*\n/, "");
  writeFileSync(agent, `import * as fs from "node:fs";\nfs.appendFileSync("notes.txt", "done\\n");\n${work}\n${text}`);
  const gates = "gates:\n  tests:\n    command: [npm, test]\n    reports: [reports/junit.xml]\n";
  // The placeholder lists nothing of what it is made to do here.
  const workflow = readFileSync(join(folder, "baton.yaml"), "utf8")
    .replace(/^start:/m, `verify: { ${verify} }\nstart:`)
    .replace("agents:\n", `${gates}${keys}\nagents:\n`)
    .replace("    dialect: task-yaml\n", "    dialect: task-yaml\n    gates: [tests]\n")
    .replace("writes_tests: true", `writes_tests: ${writesTests}`);
  writeFileSync(join(folder, "baton.yaml"), workflow);
  appendFileSync(join(folder, "test/cart.test.mjs"), '\ntest("an empty cart costs nothing", () => {});\n');
  git("add", "--all");
  git("commit", "--quiet", "--message", "Workflow");
  await baton("trust", "baton.yaml");
  return repository;
}

const change = (path: string, from: string, to: string): string =>
  `fs.writeFileSync("${path}", fs.readFileSync("${path}", "utf8").replace(${from}, ${to}));`;

describe("an agent of a run", () => {
  it("that weakens nothing is not asked about", { timeout: 60_000 }, async () => {
    const repository = await shop("");
    const run = await repository.baton("run", "--brief", "x");
    expect(run.code, run.stdout + run.stderr).toBe(0);
    const judged = ofKind(await repository.events(), "claims-verified").flatMap(({ judgements }) => judgements);
    const verdicts = Object.fromEntries(judged.map(({ kind, verdict }) => [kind, verdict]));
    expect(verdicts).toMatchObject({ "gate-files": "confirmed", lockfile: "confirmed", "tests-kept": "confirmed" });
  });

  it("that skips a test waits for a person, who may accept it, which is told", { timeout: 60_000 }, async () => {
    const repository = await shop(change("test/cart.test.mjs", "/\\btest\\(/", '"test.skip("'));
    expect(await repository.baton("run", "--brief", "x")).toMatchObject({ code: 1 });
    const { run, asks } = await repository.view();
    expect(asks).toMatchObject([{ kind: "claims", choices: ["approve", "reject", "fail"] }]);
    const { stdout } = await repository.baton("status", run);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("1 test is now skipped");
    expect(stdout).toContain(`baton reject ${run} q1`);
    await repository.baton("approve");
    const resumed = await repository.baton("resume");
    expect(resumed.stdout + resumed.stderr).toContain("1 waived");
    expect(await repository.view()).toMatchObject({ status: "completed" });
  });

  it("that changes the test script is asked about before the gate runs", { timeout: 60_000 }, async () => {
    const repository = await shop(change("package.json", "/node --test .*test.mjs/", '"true"'));
    expect(await repository.baton("run", "--brief", "x")).toMatchObject({ code: 1 });
    const events = await repository.events();
    expect(ofKind(events, "ask-opened").map(({ ask }) => ask.details.join())).toEqual([
      expect.stringContaining("scripts.test was"),
    ]);
    expect(ofKind(events, "gate-passed")).toEqual([]);
  });

  it("has its gate run once on the state before, however often it hands over", { timeout: 60_000 }, async () => {
    let count = 0;
    const counter = createServer((_request, response) => response.end(String(++count)));
    await new Promise<void>((resolve) => counter.listen(0, "127.0.0.1", resolve));
    const { port } = counter.address() as AddressInfo;
    // It skips a test first, and takes that back when it is told.
    const skipped = 'const tests = fs.readFileSync("test/cart.test.mjs", "utf8");';
    const changed =
      'tests.includes("test.skip(") ? tests.replace("test.skip(", "test(") : tests.replace(/\\btest\\(/, "test.skip(")';
    const work = `${skipped}\nfs.writeFileSync("test/cart.test.mjs", ${changed});`;
    const repository = await shop(work, "    network: true\n", "undeclared: record, tests-kept: refuse");
    appendFileSync(join(repository.folder, "test/cart.test.mjs"), `await fetch("http://127.0.0.1:${port}/");\n`);
    repository.git("commit", "--quiet", "--all", "--message", "Count");
    expect(await repository.baton("run", "--brief", "x")).toMatchObject({ code: 0 });
    counter.close();
    expect(ofKind(await repository.events(), "gate-passed")).toHaveLength(2);
    expect(count).toBe(3);
  });

  it("that changes a test without being one that writes tests is told at the end", { timeout: 60_000 }, async () => {
    const work = 'fs.appendFileSync("test/cart.test.mjs", "// the same tests\\n");';
    const repository = await shop(work, "", undefined, false);
    expect(await repository.baton("run", "--brief", "x")).toMatchObject({ code: 0 });
    const { remarks } = await repository.view();
    expect(remarks).toEqual([{ kind: "refuted", text: expect.stringContaining("test/cart.test.mjs") }]);
  });

  it("is judged by the test script of before where the gate says definitions: base", { timeout: 60_000 }, async () => {
    const breaks = change("src/cart.mjs", "/return/", '"return 1 +"');
    const fakes = change("package.json", "/node --test .*test.mjs/", '"true"');
    const settings = 'fs.writeFileSync(".npmrc", "script-shell=/bin/true\\n");';
    const keys = "    definitions: base\n    failed: fail\n";
    const repository = await shop(`${breaks}\n${fakes}\n${settings}`, keys, "default: record");
    expect(await repository.baton("run", "--brief", "x")).toMatchObject({ code: 1 });
    // The script is a covered file, too: to run it as it is now would need a person's word.
    expect((await repository.view()).asks[0]?.title).toMatch(/package\.json \(scripts\).* as (?:it is|they are) now/);
    await repository.baton("approve");
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    const events = await repository.events();
    expect(ofKind(events, "gate-passed")).toEqual([]);
    const [failed] = ofKind(events, "gate-failed");
    expect(failed).toMatchObject({ message: expect.stringContaining("exit code 1") });
    expect(failed?.output).toMatch(/fail [1-9]/);
  });
});

it("a gate that has passed is not run again on the same files", async () => {
  const repository = example("pipeline");
  const write = (name: string, text: string): void => writeFileSync(join(repository.folder, name), text);
  const agentOf = (next: string): string =>
    `{ run: { process: [sh, agent.sh] }, dialect: task-yaml, gates: [once], routes: { done: ${next} } }`;
  write("agent.sh", "printf '## Handoff\\n\\n\\140\\140\\140yaml\\noutcome: completed\\n\\140\\140\\140\\n'");
  write(
    "two.yaml",
    `baton: 1
name: two
start: first
verify: off
gates: { once: { command: [node, --eval, "process.exit(0)"] } }
agents:
  first: ${agentOf("second")}
  second: ${agentOf("end")}
`,
  );
  await repository.baton("trust", "two.yaml");
  expect(await repository.baton("run", "two.yaml")).toMatchObject({ code: 0 });
  const messages = ofKind(await repository.events(), "gate-passed").map(({ message }) => message);
  expect(messages).toEqual(["exit code 0", "exit code 0, as before on the same files"]);
});
