import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claimOf, git, handoff, put, repository, verify } from "./verify-repository.ts";

const COMMAND = "node --test --test-reporter=junit --test-reporter-destination=out.xml";
const GATE = ["--base", "HEAD", "--run-gates", "--report", "out.xml", "--gate", `test=${COMMAND}`];
const HEAD = 'import test from "node:test";\n';
const TESTS = `${HEAD}test("adds an item", () => {});\ntest("rejects an unknown coupon", () => {});\n`;

/** The tests are committed; the work is not. */
function shop(): string {
  const folder = repository();
  put(folder, "cart.test.js", TESTS);
  git(folder, "commit", "-qam", "test: cart");
  for (const path of ["src/new.js", "src/old.js"]) put(folder, path, "export const later = 3;\n");
  return folder;
}

const modified = ["src/new.js", "src/old.js", "cart.test.js", "more.test.js"];

describe("tests-kept", () => {
  it.each([
    ["nothing was done to them", TESTS],
    ["some were added", `${TESTS}test("counts items", () => {});\n`],
    ["one has a similar name", TESTS.replace("an unknown coupon", "an unknown, old coupon")],
  ])("is confirmed when %s", async (_when, text) => {
    const folder = shop();
    put(folder, "cart.test.js", text);
    put(folder, "done.md", handoff({ modified: modified.slice(0, text === TESTS ? 2 : 3) }));
    const json = await verify(folder, "done.md", ...GATE);
    expect(claimOf(json, "tests-kept")).toMatchObject({ verdict: "confirmed" });
    expect(json.code).toBe(0);
  });

  it.each([
    ["removed", `${HEAD}test("adds an item", () => {});\n`, "not there any more: rejects an unknown coupon"],
    ["skipped", TESTS.replace('test("rejects', 'test.skip("rejects'), "now skipped: rejects an unknown coupon"],
    ["todo", TESTS.replace('test("rejects', 'test.todo("rejects'), "now skipped: rejects an unknown coupon"],
    [
      "skipped where it runs in the sandbox",
      TESTS.replace('coupon", () => {', 'coupon", (t) => { if (!process.env.NO_SUCH_VARIABLE) return t.skip();'),
      "now skipped",
    ],
    ["replaced", TESTS.replace("rejects an unknown coupon", "is true"), "not there any more"],
  ])("is refuted when a test is %s, and a person must decide", async (_how, text, says) => {
    const folder = shop();
    put(folder, "cart.test.js", text);
    put(folder, "done.md", handoff({ modified: modified.slice(0, 3) }));
    const json = await verify(folder, "done.md", ...GATE);
    expect(claimOf(json, "tests-kept")).toMatchObject({
      verdict: "refuted",
      refused: true,
      evidence: expect.stringContaining(says),
    });
    expect(json.code).toBe(1);
  });

  it("is refuted when a file with tests is not found by the runner any more", async () => {
    const folder = shop();
    put(folder, "cart.js", TESTS);
    put(folder, "more.test.js", `${HEAD}test("something else", () => {});\n`);
    rmSync(join(folder, "cart.test.js"));
    put(folder, "done.md", handoff({ modified: [...modified, "cart.js"] }));
    const json = await verify(folder, "done.md", ...GATE);
    expect(claimOf(json, "tests-kept")).toMatchObject({ verdict: "refuted", refused: true });
  });

  it("is unverifiable where the gate shows no tests on the state before", async () => {
    const folder = shop();
    put(folder, "cart.test.js", "throw new Error('broken');\n");
    git(folder, "commit", "-qm", "test: break", "--", "cart.test.js");
    put(folder, "cart.test.js", TESTS);
    put(folder, "done.md", handoff({ modified: modified.slice(0, 3) }));
    const gate = [...GATE.slice(0, -1), `test=sh -c 'node cart.test.js && ${COMMAND}'`];
    const json = await verify(folder, "done.md", ...gate);
    expect(claimOf(json, "tests-kept").verdict).toBe("unverifiable");
    expect(json.code).toBe(0);
  });

  it("tells how many tests are new", async () => {
    const folder = shop();
    put(folder, "more.test.js", `${HEAD}test("one", () => {});\ntest("two", () => {});\n`);
    put(
      folder,
      "done.md",
      handoff({ modified: ["src/new.js", "src/old.js", "more.test.js"], results: { tests_added: 2 } }),
    );
    const json = await verify(folder, "done.md", ...GATE);
    expect(claimOf(json, "tests-kept").verdict).toBe("confirmed");
  });
});
