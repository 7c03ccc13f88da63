import { rmSync, symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { claimOf, git, handoff, put, repository, verify } from "./verify-repository.ts";

const PLANTED = "TN:\nSF:src/new.js\nDA:1,1\nLF:1\nLH:1\nend_of_record\n";

it.each(["committed", "left in the workspace"])(
  "a report that was %s before the gate ran proves nothing",
  async (how) => {
    const folder = repository();
    put(folder, "planted.info", PLANTED);
    if (how === "committed") {
      git(folder, "add", "planted.info");
      git(folder, "commit", "-qm", "test: results");
    }
    put(folder, "done.md", handoff({ results: { coverage_percent: 100 } }));
    const gate = ["--run-gates", "--gate", "test=node --version", "--report", "planted.info"];
    const json = await verify(folder, "done.md", ...gate);
    expect(claimOf(json, "coverage").verdict).toBe("unverifiable");
    expect(JSON.stringify(json)).toContain("the gate has not written it");
  },
);

const JUNIT = '<testsuite name="s" tests="2"><testcase name="a"/><testcase name="b"/></testsuite>\n';

function verifyTests(folder: string, code: string): ReturnType<typeof verify> {
  const command = `test=node --input-type=commonjs -e "${code}"`;
  return verify(folder, "done.md", "--run-gates", "--gate", command, "--report", "out.xml");
}

it.each([
  ["only touches the report that is committed", "require('fs').writeFileSync('out.xml', '', { flag: 'a' })"],
  ["writes no report", "0"],
  ["writes a report without a test", "require('fs').writeFileSync('out.xml', '<testsuites></testsuites>')"],
  [
    "writes a report in which every test is skipped",
    "require('fs').writeFileSync('out.xml', '<testsuite><testcase><skipped/></testcase></testsuite>')",
  ],
])("a test gate that ends with 0 and %s has no result", async (_name, code) => {
  const folder = repository();
  put(folder, "out.xml", JUNIT);
  git(folder, "add", "out.xml");
  git(folder, "commit", "-qm", "test: results");
  put(
    folder,
    "done.md",
    handoff({ modified: ["src/new.js", "src/old.js", "out.xml"], results: { tests: "2 passed, 0 failed" } }),
  );
  const json = await verifyTests(folder, code);
  expect(json.gates).toMatchObject([{ passed: false, outcome: "unusable" }]);
  expect(claimOf(json, "test").verdict).toBe("unverifiable");
  expect(json.code).toBe(3);
});

it("a test gate that fails without a report has failed, and refutes no claim", async () => {
  const folder = repository();
  put(folder, "done.md", handoff());
  const json = await verifyTests(folder, "process.exit(1)");
  expect(json.gates).toMatchObject([{ passed: false, outcome: "failed" }]);
  expect(claimOf(json, "test").verdict).toBe("unverifiable");
  expect(json.code).toBe(1);
});

it("a report that is a link in the repository is deleted, and not what it leads to", async () => {
  const folder = repository();
  put(folder, "kept.xml", JUNIT);
  git(folder, "add", "kept.xml");
  symlinkSync("kept.xml", `${folder}/out.xml`);
  put(folder, "done.md", handoff());
  const json = await verifyTests(folder, "process.exit(require('fs').existsSync('kept.xml') ? 0 : 5)");
  expect(json.gates).toMatchObject([{ outcome: "unusable", message: expect.stringContaining("exit code 0") }]);
});

it("a test file without a test is no passed test, and whoever repeats what Node prints does not lie", async () => {
  const folder = repository();
  put(folder, "empty.test.js", "export const nothing = 1;\n");
  const command = "test=node --test --test-reporter=junit --test-reporter-destination=out.xml";
  for (const tests of ["2 passed, 0 failed", "3 passed, 0 failed"]) {
    const modified = ["src/new.js", "src/old.js", "empty.test.js"];
    put(folder, "done.md", handoff({ modified, results: { tests } }));
    const json = await verify(folder, "done.md", "--run-gates", "--gate", command, "--report", "out.xml");
    expect(json.gates).toMatchObject([{ passed: true, tests: { passed: 2, failed: 0, skipped: 0, empty: 1 } }]);
    expect(claimOf(json, "test").verdict).toBe("confirmed");
  }
  git(folder, "rm", "-q", "--cached", "cart.test.js");
  rmSync(`${folder}/cart.test.js`);
  put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "empty.test.js", "cart.test.js"] }));
  const json = await verify(folder, "done.md", "--run-gates", "--gate", command, "--report", "out.xml");
  expect(json.gates).toMatchObject([{ passed: false, outcome: "unusable" }]);
  expect(claimOf(json, "test").verdict).toBe("unverifiable");
});
