import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, sessionsFile, stopOf, taskHandoff } from "../hooks/hook-room.ts";
import { violationsOf } from "./axe.ts";
import { type Served, hasNoBrowser, patiently, serve, visitor } from "./browser-room.ts";

/** Sessions of clients on the page: watched, and never shown as what Baton drives or has found to be good. */
describe.skipIf(hasNoBrowser())("a session of a client in the browser", () => {
  const room = hookRooms();
  const complaints: string[] = [];
  const browser = visitor(complaints);
  let made: HookRoom;
  let served: Served;
  let runs: Readonly<Record<string, string>>;

  const prompt = (client: string, text: string) =>
    made.hook("UserPromptSubmit", client, { session_id: `${client}-1`, cwd: made.root, prompt: text });
  const main = { agent_id: undefined, agent_type: undefined } as const;

  beforeAll(async () => {
    made = room({ "baton.yaml": sessionsFile("  main: { format: task-yaml }\n  blocks: 1\n") });
    await made.run("trust");
    await prompt("claude", "Mend the till");
    await made.hook("SubagentStart", "claude", stopOf(made, "", { session_id: "claude-1" }));
    const explorer = { session_id: "claude-1", agent_id: "e", agent_type: "Explore" };
    await made.hook("SubagentStart", "claude", stopOf(made, "", explorer));
    await prompt("codex", "Given up");
    const given = stopOf(made, "done", { session_id: "codex-1", ...main });
    await made.hook("Stop", "codex", given);
    await made.hook("Stop", "codex", given);
    await prompt("copilot", "Not read");
    const unread = { session_id: "copilot-1", cwd: made.root, transcript_path: join(made.home, "none") };
    await made.hook("Stop", "copilot", unread);
    await made.hook("SessionEnd", "copilot", unread);
    await prompt("opencode", "All good");
    const good = stopOf(made, taskHandoff(), { session_id: "opencode-1", ...main });
    await made.hook("Stop", "opencode", good);
    await made.hook("SessionEnd", "opencode", good);
    await made.hook("SessionEnd", "gemini", { session_id: "gemini-1", cwd: made.root });
    const all = JSON.parse((await made.run("status", "--json")).stdout).runs as { run: string; workflow: string }[];
    runs = Object.fromEntries(all.map(({ run, workflow }) => [workflow.replace("-session", ""), run]));
    const environment = {
      HOME: made.home,
      XDG_CONFIG_HOME: join(made.home, ".config"),
      XDG_STATE_HOME: join(made.home, ".state"),
    };
    served = await serve({ folder: made.root, environment });
    return async () => served.stop();
  }, 120_000);

  const textOf = (page: Page) => page.locator("main").innerText();

  it("is marked as watched in the list, with the hooks that were not heard of", async () => {
    const page = await browser.visit(served);
    await page.getByText("Hooks of gemini were heard of").waitFor();
    expect(await page.getByRole("list", { name: "Not checked" }).innerText()).toContain("baton doctor");
    const statusOf = (name: string) => page.getByRole("row", { name }).locator(".run-row__status").innerText();
    expect(await Promise.all(["Mend the till", "Given up", "Not read", "All good"].map(statusOf))).toEqual([
      "Watched",
      "Watched",
      "Ended, remarks",
      "Ended",
    ]);
    expect(await page.getByRole("row", { name: "Given up" }).innerText()).toContain("no valid handoff of main");
  });

  it("says who drives it, what is not known of its cost, and offers nothing that makes no sense", async () => {
    const page = await browser.visit(served, `/runs/${runs["claude"]}`);
    await page.getByText("by its client; Baton watches").waitFor();
    const text = await textOf(page);
    for (const word of ["Drive it here", "Cancel the run", "Send it on again", "no limit", "Round", "$0"])
      expect(text, word).not.toContain(word);
    expect(text).toMatch(/Money\s+unknown/);
    await page.getByRole("tab", { name: "Other agents (1)" }).click();
    await page.getByRole("row", { name: /^Explore/ }).waitFor();
    expect(await textOf(page)).toContain("nothing of them was checked");
  });

  it("shows a handoff that was given up, or not read, as that", async () => {
    const page = await browser.visit(served, `/runs/${runs["codex"]}`);
    await page.getByText("No valid handoff of main.").waitFor();
    expect(await textOf(page)).not.toMatch(/Finished|Done|Completed/);
    await page.getByRole("link", { name: "Open the refused handoff" }).first().click();
    await page.getByText("There is no handoff in this text").waitFor();
    await page.goto(`${served.origin}/runs/${runs["copilot"]}`);
    await page.getByText("unchecked: main: its handoff was not read").waitFor();
    expect(await textOf(page)).not.toMatch(/Finished|Done|Completed/);
    await page.goto(`${served.origin}/runs/${runs["opencode"]}`);
    await page.getByRole("link", { name: "Open the handoff" }).click();
    await page.getByRole("heading", { name: "Handoff of main" }).waitFor();
  });

  it("has nothing that axe objects to, in light and dark colours, wide and narrow", async () => {
    const page = await browser.visit(served, "/", { bypassCSP: true, reducedMotion: "reduce" });
    const found: string[] = [];
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of [
        "/",
        ...Object.values(runs).map((run) => `/runs/${run}`),
        `/runs/${runs["claude"]}?tab=others`,
      ]) {
        await page.goto(served.origin + path);
        await page.locator("h1").waitFor();
        await page.waitForLoadState("networkidle");
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
          const rules = colorScheme === "light" ? "" : "runOnly: ['color-contrast']";
          found.push(...(await violationsOf(page, rules)).map((one) => `${width} ${path} ${colorScheme}: ${one}`));
        }
      }
    }
    expect(found).toEqual([]);
  }, 180_000);

  it("is closed by a person, which ends nothing of it", async () => {
    const page = await browser.visit(served, `/runs/${runs["claude"]}`);
    await page.getByRole("button", { name: "Close the session" }).click();
    const dialog = page.getByRole("dialog", { name: "Close the session" });
    await dialog.getByText("Its client is not told, and nothing of it is ended").waitFor();
    await dialog.getByLabel("Why").fill("The terminal is gone");
    await dialog.getByRole("button", { name: "Close the session" }).click();
    await page.getByText("The terminal is gone").first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Close the session" }).count(), patiently).toBe(0);
    expect(await textOf(page)).toContain("Cancelled");
    expect(complaints).toEqual([]);
  });
});
