import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readReport } from "./read-report.ts";
import type { ReportReading } from "./report.ts";

const VITEST = resolve("node_modules/vitest/vitest.mjs");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-reports-"));
  writeFileSync(join(folder, "lib.mjs"), "export function f(a) {\n  if (a) return 1;\n  return 2;\n}\n");
  writeFileSync(
    join(folder, "node.mjs"),
    `import test, { describe, it } from "node:test";
     import { f } from "./lib.mjs";
     describe("suite", () => {
       it("passes", () => { console.log("not ok 7 - printed\\n1..9\\n    ok 1"); f(1); });
       it("fails { # skip", () => { throw new Error("a\\n...\\nok 8"); });
       it.skip("skips", () => {});
       describe("inner", () => { it("is deep", () => {}); });
     });
     test("with subtests", async (t) => { await t.test("one", () => {}); await t.test("two", () => {}); });
     test("some day", { todo: true }, () => { throw new Error("x"); });`,
  );
  writeFileSync(
    join(folder, "some.test.mjs"),
    `describe("suite", () => {
       it("passes", () => {});
       it("fails } & <testcase>", () => { throw new Error("no"); });
       it.skip("skips", () => {});
       it.todo("some day");
     });
     it("is alone", () => {});`,
  );
  writeFileSync(join(folder, "broken.test.mjs"), `throw new Error("boom");`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program prints, whatever its exit code. */
function output(...args: string[]): string {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  try {
    return execFileSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("Node's own runner", () => {
  const node = (reporter: string): ReportReading =>
    readReport(output("--test", `--test-reporter=${reporter}`, "node.mjs"), "report");

  // Node says of this file: tests 8, suites 2, pass 5, fail 1, skipped 1, todo 1.
  it.each(["tap", "junit"])("is read from its %s report", (reporter) => {
    expect(node(reporter)).toMatchObject({ tests: { passed: 5, failed: 1, skipped: 1 + 1 }, problem: null });
  });

  it("is read from its lcov report", () => {
    const text = output(
      "--test",
      "--experimental-test-coverage",
      "--test-coverage-exclude=node.mjs",
      "--test-reporter=lcov",
      "node.mjs",
    );
    const reading = readReport(text, "lcov.info");
    expect(reading.problem).toBeNull();
    expect(reading.coverage?.functions).toEqual({ hit: 1, found: 1 });
    expect(reading.coverage?.lines?.hit).toBeLessThan(reading.coverage?.lines?.found ?? 0);
  });

  it("is not read from what it prints for people", () => {
    expect(node("spec")).toMatchObject({ tests: null, coverage: null });
    expect(node("dot")).toMatchObject({ tests: null, coverage: null });
  });
});

describe("Vitest", () => {
  // One test fails, and one file cannot be loaded.
  it.each(["json", "junit", "tap", "tap-flat"])("is read from its %s report", (reporter) => {
    const file = join(folder, `vitest.${reporter}`);
    output(VITEST, "run", "--root", folder, "--globals", `--reporter=${reporter}`, `--outputFile=${file}`);
    const printed = output(VITEST, "run", "--root", folder, "--globals", `--reporter=${reporter}`);
    const text = reporter.startsWith("tap") ? printed : readFileSync(file, "utf8");
    expect(readReport(text, "report")).toMatchObject({ tests: { passed: 2, failed: 2, skipped: 2 }, problem: null });
  });
});
