import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES } from "../../examples/prepare-example.mjs";
import { type Served, exampleRepository, hasNoBrowser, repositories, serve, visitor } from "./browser-room.ts";

describe.skipIf(hasNoBrowser())("what is known, in the browser,", () => {
  repositories();
  const browser = visitor();
  const repository = exampleRepository("tasks");
  let served: Served;

  beforeAll(async () => {
    await repository.baton(...(EXAMPLES["tasks"]?.[0]?.args ?? []));
    served = await serve(repository);
    return async () => served.stop();
  }, 60_000);

  it("has one standing: who was trusted is so only as long as what it cites is there", async () => {
    const page = await browser.visit(served, "/knowledge?text=cents");
    const card = page.getByRole("listitem").filter({ hasText: "Amounts are whole cents" });
    await card.waitFor();
    expect(await card.locator(".badge").allTextContents()).toEqual(["Trusted"]);
    expect(await card.textContent()).toContain("src/read.mjs, stands as cited");

    rmSync(join(repository.folder, "src/read.mjs"));
    await page.reload();
    await card.getByText("no longer there").waitFor();
    expect(await card.locator(".badge").allTextContents()).toEqual(["Source gone"]);
    await card.getByRole("link", { name: "Amounts are whole cents" }).click();
    await page
      .getByText("It was trusted; agents are not given it while the file that it cites is not there.")
      .waitFor();
    expect(await page.locator(".badge").allTextContents()).toEqual(["Source gone"]);
  });
});
