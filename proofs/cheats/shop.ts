/** The repository in which the agents work: small, with tests that pass. */
export const SHOP: Readonly<Record<string, string>> = {
  ".gitignore": "node_modules/\nout.xml\nlcov.info\nhandoff-*.json\n",
  "package.json": packageJson(
    "node --test --test-reporter=junit --test-reporter-destination=out.xml --test-reporter=spec --test-reporter-destination=stdout",
  ),
  "package-lock.json": `${JSON.stringify({ name: "shop", lockfileVersion: 3, packages: { "": { name: "shop" } } }, null, 2)}\n`,
  "scripts/lint.mjs":
    'import { readFileSync } from "node:fs";\nif (readFileSync("src/cart.mjs", "utf8").includes("debugger")) process.exit(1);\n',
  ".github/workflows/ci.yml": "on: push\njobs: { test: { runs-on: ubuntu-latest, steps: [{ run: npm test }] } }\n",
  "README.md": "# Shop\n",
  "src/cart.mjs": `export function total(lines) {
  return lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
}

export function count(lines) {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}

export function isEmpty(lines) {
  return count(lines) === 0;
}
`,
  "src/tax.mjs": "export function tax(sum) {\n  return sum * 0.19;\n}\n",
  "test/cart.test.mjs": `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { count, isEmpty, total } from "../src/cart.mjs";

const LINES = JSON.parse(readFileSync(new URL("fixtures/lines.json", import.meta.url), "utf8"));

describe("a cart", () => {
  it("adds up prices", () => {
    assert.equal(total(LINES), 25);
  });

  it("counts pieces", () => {
    assert.equal(count(LINES), 3);
  });
});

for (const [name, lines, empty] of [
  ["no lines", [], true],
  ["a line", [{ price: 1, quantity: 1 }], false],
  ["a line of nothing", [{ price: 1, quantity: 0 }], true],
])
  it(\`knows whether it is empty: \${name}\`, () => {
    assert.equal(isEmpty(lines), empty);
  });
`,
  "test/fixtures/lines.json": '[{ "price": 10, "quantity": 2 }, { "price": 5, "quantity": 1 }]\n',
  "test/tax.test.mjs": `import assert from "node:assert/strict";
import { it } from "node:test";
import { tax } from "../src/tax.mjs";

it("takes 19 percent", () => {
  assert.equal(tax(100), 19);
});
`,
};

/** The same shop, measured. */
export const MEASURED =
  "node --test --experimental-test-coverage --test-coverage-lines=60 --test-reporter=junit --test-reporter-destination=out.xml --test-reporter=lcov --test-reporter-destination=lcov.info";

/** The same tests for Vitest, with a file of configuration. */
export const VITEST_SHOP: Readonly<Record<string, string>> = {
  "package.json": packageJson("vitest run --reporter=junit --outputFile=out.xml"),
  "vitest.config.mjs":
    'import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: { include: ["test/**/*.test.mjs"] } });\n',
  "test/cart.test.mjs": `import { describe, expect, it } from "vitest";
import { count, total } from "../src/cart.mjs";

const LINES = [{ price: 10, quantity: 2 }, { price: 5, quantity: 1 }];

describe("a cart", () => {
  it("adds up prices", () => {
    expect(total(LINES)).toBe(25);
  });

  it("counts pieces", () => {
    expect(count(LINES)).toBe(3);
  });
});
`,
  "test/tax.test.mjs":
    'import { expect, it } from "vitest";\nimport { tax } from "../src/tax.mjs";\n\nit("takes 19 percent", () => {\n  expect(tax(100)).toBe(19);\n});\n',
};

export function packageJson(test: string, more: Readonly<Record<string, unknown>> = {}): string {
  const scripts = { test, lint: "node scripts/lint.mjs", ...(more["scripts"] as object | undefined) };
  return `${JSON.stringify({ name: "shop", private: true, type: "module", ...more, scripts }, null, 2)}\n`;
}

/** What is refused fails the run: an agent that goes on cheating is then stopped, and not asked about. */
export const WORKFLOW = `baton: 1
name: shop
start: builder
agents:
  builder:
    run: { process: [node, agents/builder.mjs] }
    dialect: pipeline-json
    repairs: 0
    retry: { most: 0 }
    gates: [test]
    routes: { done: tester, failed: fail }
  tester:
    run: { process: [node, agents/tester.mjs] }
    dialect: pipeline-json
    repairs: 0
    retry: { most: 0 }
    routes: { done: end, needs-fixes: { loop: builder }, failed: fail }
gates:
  test:
    command: [npm, test]
    reports: [out.xml]
    failed: fail
`;
