import { describe, expect, it } from "vitest";
import { hasNoBrowser, makeWaitingRun, patiently, repositories, serve, visitor } from "./browser-room.ts";

describe.skipIf(hasNoBrowser())("a run that is cancelled in the browser", () => {
  repositories();
  const browser = visitor();

  it("is not said to go on later, and offers nothing that the server refuses", async () => {
    const { repository, waiting } = await makeWaitingRun();
    const served = await serve(repository);
    try {
      const page = await browser.visit(served, `/runs/${waiting}`);
      await page.getByRole("button", { name: "Cancel the run" }).click();
      const dialog = page.getByRole("dialog", { name: "Cancel the run" });
      await dialog.getByText("does not go on again").waitFor();
      await dialog.getByLabel("Why").fill("No longer wanted");
      await dialog.getByRole("button", { name: "Cancel the run" }).click();
      await page.getByText("No longer wanted").first().waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Cancel the run" }).count(), patiently).toBe(0);
      expect(await page.getByRole("button", { name: "Send it on again" }).count()).toBe(0);
      expect((await repository.baton("retry", waiting)).stderr).toContain("is cancelled, not failed");
    } finally {
      await served.stop();
    }
  }, 60_000);
});
