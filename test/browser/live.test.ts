import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type Repository, WORKFLOW, behave } from "../e2e/workflows/repository.ts";
import {
  type Served,
  hasNoBrowser,
  patiently,
  pretendingRepository,
  repositories,
  serve,
  visitor,
} from "./browser-room.ts";

describe.skipIf(hasNoBrowser())("live, in the browser,", () => {
  repositories();
  const browser = visitor();
  let repository: Repository;
  let served: Served;

  beforeAll(async () => {
    repository = pretendingRepository();
    await repository.baton("trust", WORKFLOW);
    served = await serve(repository);
    return async () => served.stop();
  }, 60_000);

  it("a run is watched from its start to its end without loading anything again", async () => {
    const page = await browser.visit(served);
    await page.getByText("Nothing has run here yet").waitFor();
    await page.evaluate("window.untouched = true");
    behave(repository, { TestAgent: "slow", CodeReviewer: "slow" });
    const ended = repository.baton("run", WORKFLOW, "--brief", "Watch me");
    await page.getByRole("link", { name: "Watch me" }).click();
    await page.locator(".node--working").first().waitFor();
    await page.locator(".run-head__status").getByText("Completed").waitFor();
    await expect.poll(() => page.locator(".node--good").count(), patiently).toBe(5);
    expect(await ended).toMatchObject({ code: 0 });
    expect(await page.evaluate("window.untouched")).toBe(true);
  });

  it("a person approves from the inbox, and the run goes on to its end", async () => {
    behave(repository, {});
    await repository.baton("run", WORKFLOW, "--mode", "supervised", "--brief", "Ask me first");
    const page = await browser.visit(served, "/inbox");
    for (const agent of ["BackendBuilder", "TestAgent", "CodeReviewer", "SecurityScanner", "DocumentationDynamo"]) {
      const card = page.getByRole("article", { name: `May ${agent} start?` });
      await card.getByLabel("Reason").fill(`${agent} is fine`);
      await card.getByRole("button", { name: "Approve" }).click();
    }
    await page.getByText("Nobody waits for you").waitFor();
    const { run } = await repository.view();
    await page.goto(`${served.origin}/runs/${run}?tab=timeline`);
    await page.locator(".run-head__status").getByText("Completed").waitFor();
    await page.getByText("approve, TestAgent is fine").waitFor();
  });

  it("a person says no, and the reason is what the run ends with", async () => {
    await repository.baton("run", WORKFLOW, "--mode", "supervised", "--brief", "Not today");
    const { run } = await repository.view();
    const page = await browser.visit(served, `/runs/${run}`);
    await page.getByRole("link", { name: "Look and answer" }).click();
    const card = page.locator(".ask--meant");
    await card.getByLabel("Reason").fill("another idea");
    await card.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Nobody waits for you").waitFor();
    await page.goto(`${served.origin}/runs/${run}`);
    await page.locator(".run-head__status").getByText("Failed").waitFor();
    expect(await page.locator(".run-head__status").textContent()).toContain("another idea");
  });

  it("after the server was killed and came back no event is missing", async () => {
    await repository.baton("run", WORKFLOW, "--mode", "supervised", "--brief", "Outlive the server");
    const { run } = await repository.view();
    const page = await browser.visit(served, `/runs/${run}?tab=timeline&events=all&order=oldest`);
    await page.getByText("waits for a person").first().waitFor();
    await page.evaluate("window.untouched = true");

    await served.stop("SIGKILL");
    await page.getByText("Reconnecting").waitFor();
    // What happens while nobody serves: an answer, and all that follows.
    await repository.baton("approve");
    await repository.baton("resume", run);
    served = await serve(repository, served.port);

    await page.getByText("Live", { exact: true }).waitFor();
    const entries = JSON.parse(
      `[${(await repository.baton("log", run, "--json")).stdout.trimEnd().replaceAll("\n", ",")}]`,
    ) as unknown[];
    await expect
      .poll(async () => page.locator(".steps__filter [role=status]").textContent(), patiently)
      .toContain(`${entries.length} event`);
    await expect
      .poll(async () => numbersShown(page), patiently)
      .toEqual(Array.from({ length: entries.length }, (_, index) => index + 1));
    expect(await page.evaluate("window.untouched")).toBe(true);
  });

  it("a page that was first opened while the server was away says so, and comes by itself when it is back", async () => {
    const other = pretendingRepository();
    let away = await serve(other);
    try {
      const page = await browser.visit(away);
      await page.getByText("Live", { exact: true }).waitFor();
      await away.stop("SIGKILL");
      await page.getByText(/what is shown may be old/).waitFor();
      await page.getByRole("link", { name: "Knowledge" }).click();
      await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
      expect(await page.getByRole("alert").textContent()).toMatch(/^This part of the page could not be loaded/);
      away = await serve(other, away.port);
      await page.getByText("Nothing was learned yet").waitFor();
    } finally {
      await away.stop();
    }
  });
});

/** All that the timeline shows, from its first row to its last one; it draws only what is near the screen. */
async function numbersShown(page: Page): Promise<number[]> {
  const box = "document.querySelector('.timeline__box')";
  const seen = new Set<number>();
  for (let top = 0; top <= Number(await page.evaluate(`${box}.scrollHeight`)); top += 400) {
    await page.evaluate(`${box}.scrollTop = ${top}`);
    await page.waitForTimeout(50);
    for (const text of await page.locator(".timeline__kind").allTextContents()) seen.add(Number(text.split("#")[1]));
  }
  return [...seen].toSorted((left, right) => left - right);
}
