import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Everything that axe has against a page as it stands. */
export async function violationsOf(page: Page, rules: string): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'], ${rules} })`)) as {
    readonly violations: readonly Violation[];
  };
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.target.join(" ") ?? ""}`);
}
