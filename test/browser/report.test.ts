import { describe, expect, it } from "vitest";
import { pageHtml, reportPage } from "../../src/runtime/operations/report-runs.ts";
import { tellReport } from "../workflow/told-report.ts";
import { hasNoBrowser, visitor } from "./browser-room.ts";

describe.skipIf(hasNoBrowser())("a report in a browser", () => {
  const people = visitor();

  it("holds all its tables without anything to scroll to, on a screen of 1000 pixels", async () => {
    const { one } = await tellReport();
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await people.browser.newContext({ viewport: { width: 1000, height: 800 }, colorScheme });
      const page = await context.newPage();
      await page.setContent(pageHtml(reportPage(one)));
      const boxes = await page.locator(".wide").all();
      expect(boxes.length).toBeGreaterThan(4);
      for (const box of boxes) {
        const over = await box.evaluate((element) => element.scrollWidth - element.clientWidth);
        expect([over, await box.textContent()]).toEqual([0, expect.any(String)]);
      }
      await context.close();
    }
  });
});
