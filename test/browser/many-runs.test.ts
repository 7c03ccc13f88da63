import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/main/open-engine.ts";
import type { Repository } from "../e2e/workflows/repository.ts";
import {
  type Served,
  hasNoBrowser,
  patiently,
  pretendingRepository,
  repositories,
  serve,
  visitor,
} from "./browser-room.ts";

const MANY = 450;

/** Runs that were begun and never went on: for a list they are runs. */
async function beginMany({ folder, environment }: Repository): Promise<void> {
  const engine = openEngine(folder, join(environment["XDG_CONFIG_HOME"] ?? "", "baton"));
  try {
    await Promise.all(
      Array.from({ length: MANY }, (_, index) =>
        engine.ports.log.create(
          {
            run: `run${String(index).padStart(4, "0")}`,
            name: "pipeline",
            workflow: "0".repeat(64),
            at: 1_700_000_000_000 + index,
          },
          "test",
          1,
        ),
      ),
    );
  } finally {
    await engine.close();
  }
}

describe.skipIf(hasNoBrowser())("a list of many runs", () => {
  repositories();
  const browser = visitor();
  let served: Served;

  beforeAll(async () => {
    const repository = pretendingRepository();
    await beginMany(repository);
    served = await serve(repository);
    return async () => served.stop();
  }, 60_000);

  it("has only what is near the screen in the page, and goes on to the last one", async () => {
    const page = await browser.visit(served);
    await page.locator(".run-row").first().waitFor();
    const table = page.getByRole("table", { name: "Runs" });
    expect(await table.getAttribute("aria-rowcount")).toBe(String(MANY + 1));
    const last = `.run-row[aria-rowindex="${MANY + 1}"]`;
    await expect
      .poll(async () => {
        await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
        return page.locator(last).count();
      }, patiently)
      .toBe(1);
    expect(await page.locator(".run-row").count()).toBeLessThan(80);
    await page.evaluate("window.scrollTo(0, 0)");
    await page.locator('.run-row[aria-rowindex="2"]').waitFor();
  });
});
