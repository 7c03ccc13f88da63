import { describe, expect, it } from "vitest";
import { type ChangedText, changedGates, isLockfile, isTestFile, mayDefineGate } from "./gate-files.ts";

const SCRIPTS = { test: "vitest run", lint: "node scripts/lint.mjs", build: "tsc", start: "node server.mjs" };
const NPM_TEST = [["npm", "test"]];

function packages(before: object, now: object): ChangedText[] {
  return [{ path: "package.json", before: JSON.stringify(before), now: JSON.stringify(now) }];
}

function changed(path: string, before: string | null, now: string | null, commands = NPM_TEST): string[] {
  return changedGates(commands, SCRIPTS, [{ path, before, now }]);
}

describe("package.json", () => {
  const before = { version: "1.0.0", scripts: SCRIPTS, dependencies: { left: "1.0.0" } };

  it.each([
    ["a dependency", { ...before, dependencies: { left: "2.0.0" }, devDependencies: { vitest: "5.0.0" } }],
    ["the version", { ...before, version: "1.1.0" }],
    ["a script that no gate uses", { ...before, scripts: { ...SCRIPTS, start: "node main.mjs", dev: "vite" } }],
  ])("with another %s defines the same gate", (_what, now) => {
    expect(changedGates(NPM_TEST, SCRIPTS, packages(before, now))).toEqual([]);
  });

  it.each([
    ["the script", { ...before, scripts: { ...SCRIPTS, test: "true" } }, 'scripts.test was "vitest run", is "true"'],
    [
      "a script before it",
      { ...before, scripts: { ...SCRIPTS, pretest: "rm -r test" } },
      "scripts.pretest was not there",
    ],
    ["settings of a runner", { ...before, jest: { testMatch: ["none"] } }, "jest is different"],
    ["coverage", { ...before, c8: { lines: 10 } }, "c8 is different"],
  ])("with another %s defines another", (_what, now, says) => {
    expect(changedGates(NPM_TEST, SCRIPTS, packages(before, now)).join()).toContain(says);
  });

  it("is followed from script to script", () => {
    const scripts = { ci: "npm run lint && npm test", lint: "eslint .", test: "jest" };
    const now = packages({ scripts }, { scripts: { ...scripts, test: "jest --passWithNoTests" } });
    expect(changedGates([["npm", "run", "ci"]], scripts, now)).toHaveLength(1);
    expect(changedGates([["npm", "run", "lint"]], scripts, now)).toEqual([]);
    expect(changedGates([["make", "check"]], scripts, now)).toHaveLength(1);
  });
});

describe("a file that defines a gate", () => {
  it.each([
    ".npmrc",
    "vitest.config.ts",
    "packages/a/jest.config.cjs",
    ".nycrc.json",
    ".gitignore",
    "src/.gitignore",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
  ])("%s", (path) => {
    expect(mayDefineGate(path)).toBe(true);
    expect(changed(path, "a\n", "b\n")).toHaveLength(1);
    expect(changed(path, null, "b\n")).toHaveLength(1);
    expect(changed(path, "a\n", null)).toHaveLength(1);
  });

  it.each(["src/cart.ts", "README.md", "test/fixtures/a/package.json", "examples/a/vitest.config.ts"])(
    "is not %s",
    (path) => {
      expect(mayDefineGate(path)).toBe(false);
    },
  );

  it("is the script that its command starts, and not what it is started on", () => {
    const lint = [["npm", "run", "lint"]];
    expect(changed("scripts/lint.mjs", "a", "b", lint)).toHaveLength(1);
    expect(changed("ci/check.sh", "a", "b", [["bash", "ci/check.sh", "src/a.ts"]])).toHaveLength(1);
    expect(changed("src/a.ts", "a", "b", [["npx", "eslint", "src/a.ts"]])).toEqual([]);
    expect(changed("test/a.test.js", "a", "b", [["node", "--test", "test/a.test.js"]])).toEqual([]);
  });

  it("counts where the command uses its tool", () => {
    expect(changed("Makefile", "a", "b")).toEqual([]);
    expect(changed("Makefile", "a", "b", [["make", "test"]])).toHaveLength(1);
    expect(changed("pytest.ini", "a", "b")).toEqual([]);
    expect(changed("pytest.ini", "a", "b", [["python3", "-m", "pytest"]])).toHaveLength(1);
    expect(changed("tsconfig.json", "a", "b")).toEqual([]);
    expect(changed("tsconfig.json", "a", "b", [["npm", "run", "build"]])).toHaveLength(1);
  });

  it("lists dependencies besides, which do not count", () => {
    const pytest = [["pytest"]];
    const python = (version: string, options: string): string =>
      `[project]\ndependencies = ["left==${version}"]\n\n[tool.pytest.ini_options]\naddopts = "${options}"\n`;
    expect(changed("pyproject.toml", python("1", "-q"), python("2", "-q"), pytest)).toEqual([]);
    expect(changed("pyproject.toml", python("1", "-q"), python("1", "-k none"), pytest)).toHaveLength(1);
    const cargo = (version: string, harness: string): string =>
      `[package]\nname = "a"\n\n[dependencies]\nleft = "${version}"\n\n[[test]]\nharness = ${harness}\n`;
    expect(changed("Cargo.toml", cargo("1", "true"), cargo("2", "true"), [["cargo", "test"]])).toEqual([]);
    expect(changed("Cargo.toml", cargo("1", "true"), cargo("1", "false"), [["cargo", "test"]])).toHaveLength(1);
  });

  it("tells one change from the next, so that each can be asked about", () => {
    const lines = (last: string): string => Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n") + last;
    const [first, second] = [changed(".npmrc", "a", lines("x")), changed(".npmrc", "a", lines("y"))];
    expect(first).not.toEqual(second);
  });
});

it.each([
  "a.test.ts",
  "src/a.spec.js",
  "tests/test_a.py",
  "a_test.go",
  "src/test/java/CartTest.java",
  "__tests__/a.js",
])("%s is a test file", (path) => expect(isTestFile(path)).toBe(true));
it.each(["src/cart.ts", "src/latest.js", "contest.py", "test/README.md", "src/testing.ts"])("%s is none", (path) =>
  expect(isTestFile(path)).toBe(false),
);
it("lockfiles are known by their names", () => {
  expect(["package-lock.json", "a/yarn.lock", "Cargo.lock", "go.sum"].every(isLockfile)).toBe(true);
  expect(isLockfile("locks.json")).toBe(false);
});
