import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES } from "../../examples/prepare-example.mjs";
import type { Inbox } from "../../src/api/answers.ts";
import {
  type Served,
  exampleRepository,
  hasNoBrowser,
  patiently,
  repositories,
  serve,
  visitor,
} from "./browser-room.ts";

describe.skipIf(hasNoBrowser())("an approval, in the browser,", () => {
  repositories();
  const browser = visitor();
  let served: Served;

  beforeAll(async () => {
    const repository = exampleRepository("feature");
    await repository.baton(...(EXAMPLES["feature"]?.[0]?.args ?? []));
    served = await serve(repository);
    return async () => served.stop();
  }, 60_000);

  it("shows exactly the bytes that it is about, with their hash", async () => {
    const page = await browser.visit(served, "/inbox");
    const card = page.getByRole("article", { name: /Is the work of backend-lead accepted/ });
    await card.waitFor();
    const inbox = (await page.evaluate("fetch('/api/inbox').then((answer) => answer.json())")) as Inbox;
    const text = inbox.asks[0]?.concerns?.text ?? "";
    expect(text).toContain("backend-lead");
    const lines = await card.getByRole("region", { name: "handoff" }).locator(".text-row__text").allTextContents();
    expect(lines.join("\n")).toBe(text.replace(/\n$/, ""));
    const hash = createHash("sha256").update(text).digest("hex");
    expect(await card.locator(".ask__hash").textContent()).toContain(hash);
  });

  it("says of each choice what it does, to whoever sees it and whoever hears it", async () => {
    const page = await browser.visit(served, "/inbox");
    const card = page.getByRole("article", { name: /Is the work of backend-lead accepted/ });
    await card.waitFor();
    const effects = ["accepts the work, and the run goes on", /^backend-lead works on it again/] as const;
    for (const [index, name] of ["Approve", "Reject"].entries()) {
      const described = await card.getByRole("button", { name }).getAttribute("aria-describedby");
      expect(await card.locator(`[id="${described}"]`).textContent()).toMatch(effects[index] ?? "");
      await card.getByText(effects[index] ?? "").waitFor();
    }
    await card.getByRole("link").first().click();
    const asks = page.getByRole("region", { name: "Waits for a person" });
    const choices = asks.getByRole("list", { name: "Choices" }).getByRole("listitem");
    await expect.poll(() => choices.count(), patiently).toBe(2);
    expect(await choices.first().textContent()).toBe("Approveaccepts the work, and the run goes on");
  });

  it("is not given twice: the page says what was answered elsewhere, and that silence only reminds", async () => {
    const repository = exampleRepository("feature");
    await repository.baton(...(EXAMPLES["feature"]?.[0]?.args ?? []));
    const watching = await serve(repository, 0, ["--no-drive"]);
    try {
      const page = await browser.visit(watching, "/inbox");
      const card = page.getByRole("article", { name: /Is the work of backend-lead accepted/ });
      await card.getByText(/reminds/).waitFor();
      expect(await repository.baton("approve")).toMatchObject({ code: 0 });
      await card.getByRole("button", { name: "Reject" }).click();
      // The refusal, or what the page has learned meanwhile: both say whose answer counts.
      await card.getByText(/(?:was already|\S+) answered: approve/).waitFor();
      await page.reload();
      await card.getByText(/answered: approve\. The run takes it in/).waitFor();
      expect(await card.getByRole("button", { name: "Reject" }).count()).toBe(0);
    } finally {
      await watching.stop();
    }
  });
});
