import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Metrics } from "../../src/views/metrics.ts";
import {
  type Served,
  type World,
  hasNoBrowser,
  makeWorld,
  patiently,
  repositories,
  serve,
  visitor,
} from "./browser-room.ts";

describe.skipIf(hasNoBrowser())("in the browser", () => {
  repositories();
  const complaints: string[] = [];
  const browser = visitor(complaints);
  let world: World;
  let served: Served;
  let page: Page;

  beforeAll(async () => {
    world = await makeWorld();
    served = await serve(world.repository);
    page = await browser.visit(served);
    return async () => served.stop();
  }, 120_000);

  it("runs are filtered by status and words, and the address shows the same to anybody", async () => {
    await page.goto(served.origin);
    const rows = page.locator(".run-row");
    await expect.poll(() => rows.count(), patiently).toBe(3);
    await page.getByRole("button", { name: /Waits for you/ }).click();
    await expect.poll(() => rows.count(), patiently).toBe(2);
    await page.getByLabel("Search").fill("currencies");
    await expect.poll(() => rows.count(), patiently).toBe(1);
    expect(await rows.first().textContent()).toContain(world.asking);
    await expect.poll(() => page.url(), patiently).toContain("text=currencies");

    const other = await browser.visit(served, page.url().slice(served.origin.length));
    await expect.poll(() => other.locator(".run-row").count(), patiently).toBe(1);
    expect(await other.getByLabel("Search").inputValue()).toBe("currencies");
    await other.getByLabel("Search").fill("nothing has these words");
    await other.getByText("No run fits these filters").waitFor();
  });

  it("a refuted claim is followed to its evidence and to its place in the handoff", async () => {
    await page.goto(served.origin);
    await page.getByRole("link", { name: "Carts get a discount" }).click();
    await page.getByRole("heading", { name: "Carts get a discount" }).waitFor();
    await page
      .getByRole("list", { name: "Steps" })
      .getByRole("link", { name: /TestAgent/ })
      .click();
    await page.getByRole("link", { name: "Open the refused handoff" }).click();
    await page.getByRole("heading", { name: "Handoff of TestAgent" }).waitFor();
    await page.getByRole("tab", { name: /Claims/ }).click();
    const claim = page.locator(".claim--refuted").filter({ hasText: "src/ghost.mjs" });
    expect(await claim.locator("dd").first().textContent()).toMatch(/src\/ghost\.mjs|no such file|not there|no file/i);
    await claim.getByRole("link", { name: /artifacts/ }).click();
    await page.locator(".tree__meant").getByText("src/ghost.mjs").waitFor();
    expect(page.url()).toContain("view=canonical");

    await page.getByRole("tab", { name: /Claims/ }).click();
    await claim.getByRole("link", { name: /^line \d+$/ }).click();
    await page.locator(".text-row--meant").getByText("src/ghost.mjs").waitFor();
    await page.locator(".text-note").getByText("Not true: The artifact src/ghost.mjs").waitFor();

    await page.getByRole("tab", { name: "Convert" }).click();
    await page.getByLabel("Format").selectOption("task-yaml");
    await page.locator(".text-view").getByText("outcome:").first().waitFor();
    expect(page.url()).toContain("as=task-yaml");
  });

  it("each step shows its prompt, its output and its attempts", async () => {
    await page.goto(`${served.origin}/runs/${world.liar}?step=s2&show=prompt`);
    const prompt = page.getByRole("region", { name: /prompt of s2/ });
    await prompt.waitFor();
    expect(await prompt.textContent()).toContain("TestAgent");
    expect(await page.getByRole("region", { name: "Attempts" }).getByRole("listitem").count()).toBe(2);
  });

  it("the graph has the same in words: who was reached, and how often each way was taken", async () => {
    await page.goto(`${served.origin}/runs/${world.liar}`);
    await page.locator(".node").first().waitFor();
    expect(await page.locator(".node").count()).toBeGreaterThan(5);
    await page.getByText("The workflow as a list").click();
    const list = page.locator(".graph-list");
    expect(await list.textContent()).toContain("taken once");
    await list.getByRole("link", { name: "CodeReviewer" }).click();
    await page.getByText("Only steps of").waitFor();
    expect(await page.getByRole("list", { name: "Steps" }).getByRole("listitem").count()).toBe(1);
  });

  it("what is known is searched, and a person's word on it is kept with its reason", async () => {
    await page.goto(served.origin + "/knowledge");
    await page.getByLabel("Search").fill("currency");
    await page.getByRole("link", { name: /Which currency/ }).click();
    await page.getByRole("heading", { name: /Which currency/ }).waitFor();
    await page.getByText("As a list").click();
    await page.locator(".neighbour-list").getByText("BackendBuilder").waitFor();
    await page.getByRole("button", { name: "Retire" }).click();
    const dialog = page.getByRole("dialog", { name: /Retire/ });
    await dialog.getByLabel("Why").fill("It is euros");
    await dialog.getByRole("button", { name: "Retire" }).click();
    await page.getByText("It is euros").waitFor();
    await page.locator(".badge", { hasText: "Retired" }).first().waitFor();
  });

  it("colours follow the system until somebody chooses, and the choice stays", async () => {
    const dark = await browser.visit(served, "/", { colorScheme: "dark" });
    const html = dark.locator("html");
    expect(await html.getAttribute("data-mantine-color-scheme")).toBe("dark");
    await dark.getByRole("button", { name: /Change to light/ }).click();
    await dark.goto(`${served.origin}/audit`);
    expect(await html.getAttribute("data-mantine-color-scheme")).toBe("light");
  });

  it("metrics tell what is not known, and who said what is not true", async () => {
    await page.goto(served.origin + "/metrics");
    const agent = page.getByRole("row", { name: /^TestAgent/ });
    await agent.waitFor();
    expect(await agent.textContent()).toMatch(/artifact ×1|file ×1/);
    const headings = await page.getByRole("group", { name: "By agent" }).getByRole("columnheader").allTextContents();
    // The words of `baton report`: what was sent back are handoffs here, and all the time is told, not that of one.
    expect(headings).toEqual(expect.arrayContaining(["Handoffs accepted", "Handoffs sent back", "Worked"]));
    const measured = (await (await page.request.get(`${served.origin}/api/metrics`)).json()) as Metrics;
    const worked = measured.agents.find((one) => one.agent === "TestAgent")?.agent_time?.sum ?? 0;
    const told = worked < 1_000 ? `${worked} ms` : `${(worked / 1_000).toFixed(worked < 10_000 ? 1 : 0)} s`;
    expect(await agent.locator("th, td").nth(headings.indexOf("Worked")).textContent()).toBe(told);
    const workflows = page.getByRole("group", { name: "By workflow" });
    expect(await workflows.getByRole("columnheader").allTextContents()).toContain("Cancelled");
    const runs = page.getByRole("region", { name: "Runs", exact: true });
    expect(await runs.textContent()).toMatch(/Completed.*Failed.*Cancelled.*Open/);
    const tokens = page.locator(".key-figure", { hasText: "Tokens" });
    expect(await tokens.textContent()).toContain("unknown");
    await page.getByLabel("Period").selectOption("1h");
    await expect.poll(() => page.url(), patiently).toContain("period=1h");
    await agent.waitFor();
  });

  it("the log is shown, verified and exported", async () => {
    await page.goto(served.origin + "/audit");
    await page
      .getByText(/Intact|Unproven/)
      .first()
      .waitFor();
    await page.locator(".log__row").first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as JSON lines" }).click(),
    ]);
    const text = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(text).toString("utf8")).toContain(world.liar);
  });

  it("what is not there is said to be so, with what to do", async () => {
    await page.goto(served.origin + "/runs/ffffffffff");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/ffffffffff[^`]*baton status lists them/);
    expect(await alert.locator("code").allTextContents()).toContain("baton status");
    expect(await alert.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.goto(`${served.origin}/no/such/page`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  });

  it("everything is reached with the keyboard", async () => {
    await page.goto(served.origin);
    await page.locator(".run-row").first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toContain("Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(await page.locator(":focus").getAttribute("type")).toBe("search");
    await page.locator(":focus").blur();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Knowledge" }).waitFor();
  });

  it("words of agents stay words: no markup, no hidden characters, nothing wider than the screen", async () => {
    const narrow = await browser.visit(served, `/runs/${world.waiting}`, { viewport: { width: 390, height: 844 } });
    const heading = narrow.getByRole("heading", { level: 1 });
    await heading.getByText("<img src=x").waitFor();
    expect(await heading.textContent()).toContain("U+202E");
    expect(await narrow.title()).not.toBe("owned");
    for (const path of ["/", "/inbox", "/knowledge", "/metrics", "/audit", `/runs/${world.waiting}`]) {
      await narrow.goto(served.origin + path);
      await narrow.locator("h1").waitFor();
      const extra = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      await expect.poll(() => narrow.evaluate(extra), { message: path, ...patiently }).toBeLessThanOrEqual(0);
    }
  });

  it.each([1440, 1100, 390])("no status in the list is cut, on a screen of %i pixels", async (width) => {
    const list = await browser.visit(served, "/", { viewport: { width, height: 900 } });
    await list.getByText("Waits for you", { exact: true }).last().waitFor();
    const cut = "[...document.querySelectorAll('.badge')].filter((each) => each.scrollWidth > each.clientWidth).length";
    expect(await list.evaluate(cut)).toBe(0);
    await list.context().close();
  });

  it("no page complained, and none wanted anything that the policy forbids", () => {
    // The one run that is not there is answered with 404, which browsers tell.
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  });
});
