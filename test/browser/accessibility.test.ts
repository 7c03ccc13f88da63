import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "./axe.ts";
import { type Served, type World, hasNoBrowser, makeWorld, repositories, serve, visitor } from "./browser-room.ts";

const SCHEMES = [
  ["light", ""],
  ["dark", "runOnly: ['color-contrast']"],
] as const;

describe.skipIf(hasNoBrowser())("axe finds nothing", () => {
  repositories();
  const browser = visitor();
  let world: World;
  let served: Served;

  beforeAll(async () => {
    world = await makeWorld();
    served = await serve(world.repository);
    return async () => served.stop();
  }, 120_000);

  const pages: readonly (readonly [string, (here: World) => string, string])[] = [
    ["runs", () => "/", ".run-row"],
    ["a run", ({ liar }) => `/runs/${liar}`, ".node"],
    ["a run that waits", ({ waiting }) => `/runs/${waiting}?ways=all`, ".node"],
    ["its timeline", ({ liar }) => `/runs/${liar}?tab=timeline`, ".timeline__one"],
    ["its issues", ({ liar }) => `/runs/${liar}?tab=issues`, ".state"],
    ["a handoff", ({ liar }) => `/runs/${liar}/handoffs/s2.1`, ".text-row"],
    ["its claims", ({ liar }) => `/runs/${liar}/handoffs/s2.1?view=claims`, ".claim"],
    ["as it was read", ({ liar }) => `/runs/${liar}/handoffs/s2.1?view=canonical`, ".tree"],
    ["converted", ({ liar }) => `/runs/${liar}/handoffs/s2.1?view=convert`, ".text-row"],
    ["the inbox", () => "/inbox", ".ask"],
    ["knowledge", () => "/knowledge", ".fact-card"],
    ["a fact", () => "/knowledge/question-001", ".neighbour"],
    ["metrics", () => "/metrics", ".key-figure"],
    ["the audit", () => "/audit", ".log__row"],
    ["an error", () => "/runs/ffffffffff", "[role=alert]"],
  ];

  it("on any page, in light and dark colours, wide and narrow", { timeout: 300_000 }, async () => {
    // Axe is a script of its own, which the page's policy would not let in.
    const page = await browser.visit(served, "/", { bypassCSP: true, reducedMotion: "reduce" });
    const found: string[] = [];
    const look = async (name: string, path: string, shown: string): Promise<void> => {
      await page.goto(served.origin + path);
      await page.locator(shown).first().waitFor();
      // Only contrast depends on the colours.
      for (const [colorScheme, rules] of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        found.push(...(await violationsOf(page, rules)).map((text) => `${name}, ${colorScheme}: ${text}`));
      }
    };
    for (const [name, path, shown] of pages) await look(name, path(world), shown);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ["/", `/runs/${world.liar}`, `/runs/${world.waiting}`, "/inbox", "/knowledge"])
      await look(`narrow ${path}`, path, "h1");
    expect(found).toEqual([]);
  });
});
