import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { baton, workroom } from "../cli/run-baton.ts";
import { workflowWith } from "../schedules/schedule-room.ts";
import { violationsOf } from "./axe.ts";
import { type Served, hasNoBrowser, patiently, serve, visitor } from "./browser-room.ts";

const make = workroom();

const SCHEDULES = `nightly: { cron: 0 6 * * *, timezone: Europe/Berlin, brief: Update the dependencies. }
a-name-that-is-rather-long-for-a-narrow-screen: { cron: '0,15,30,45 8-18/2 1-15 jan,feb,mar mon-fri', timezone: America/Argentina/ComodRivadavia }`;

describe.skipIf(hasNoBrowser())("schedules on the page", () => {
  const complaints: string[] = [];
  const browser = visitor(complaints);
  const home = make({});
  const folder = make({ "baton.yaml": workflowWith(SCHEDULES), "agent.sh": "true\n", ".git/HEAD": "" });
  const environment = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
  let served: Served;

  beforeAll(async () => {
    expect(await baton(["trust"], { cwd: folder, env: environment })).toMatchObject({ code: 0 });
    served = await serve({ folder, environment });
    return async () => served.stop();
  }, 120_000);

  it("stand above the runs with their next times, in light and dark, wide and narrow", async () => {
    const page = await browser.visit(served);
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const panel = page.getByRole("region", { name: "Schedules" });
      await panel.getByText("nightly").waitFor();
      await panel.getByText("Update the dependencies.").waitFor();
      expect(await panel.getByRole("listitem").count()).toBe(2);
      expect(await panel.locator("time").count()).toBe(2);
      expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(0);
      expect(await violationsOf(page, "")).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  it("say what keeps them from starting, and what mends it", async () => {
    writeFileSync(join(folder, "agent.sh"), "false\n");
    const page = await browser.visit(served);
    const notice = page.getByRole("list", { name: "Not started" });
    await expect.poll(() => notice.textContent(), patiently).toContain("baton trust baton.yaml");
    expect(await page.getByRole("region", { name: "Schedules" }).getByText("starts nothing").count()).toBe(2);
  });
});
