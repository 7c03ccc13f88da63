import { execFileSync } from "node:child_process";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { baton, workroom } from "../cli/run-baton.ts";
import { SPEC_FORMATS } from "../format-files/spec-formats.ts";
import { type Served, hasNoBrowser, patiently, serve, visitor } from "./browser-room.ts";

const make = workroom();

const NOTE = {
  relay: 2,
  author: "ledger",
  next: "shift",
  result: { state: "finished", headline: "Refunds are rounded to cents." },
  changes: [{ file: "src/refund.js", why: "Rounds." }, { file: "src/ghost.js" }],
  numbers: { tests_passed: 41 },
};

const SHIFT = `Fertig.

## Übergabe

\`\`\`yaml
schicht: shift
an: pump
datum: "2026-03-09"
stand: erledigt mit Hinweisen
bericht: Der Warenkorb rechnet mit Rabatten, und der Hinweis darauf ist so lang, dass er auf einer schmalen Seite umbricht.
dateien: [src/refund.js]
hinweise: [Gutscheine fehlen noch.]
\`\`\`
`;

const SLIP = `<slip by="pump" state="partly" round="1"><note>Pump 7 has a new seal.</note><parts><part path="plans/pump-7.svg">The new drawing.</part></parts></slip>`;

/** Each agent says what its file holds; the first one breaks a rule at first. */
const AGENT = `
const fs = require("node:fs");
const name = process.argv[2];
process.stdin.resume().on("end", () => {
  if (name === "ledger") fs.writeFileSync("src/refund.js", "2\\n");
  const first = name + "-1.txt";
  const file = fs.existsSync(first) ? first : name + ".txt";
  const text = fs.readFileSync(file, "utf8");
  if (file === first) fs.unlinkSync(first);
  process.stdout.write(text);
});
`;

const WORKFLOW = `baton: 1
name: own-formats
start: ledger
verify: warn
agents:
  ledger:
    dialect: relay-note
    run: { process: [node, agent.cjs, ledger] }
    routes: { done: shift }
  shift:
    dialect: uebergabe
    run: { process: [node, agent.cjs, shift] }
    routes: { done: pump }
  pump:
    dialect: visit-slip
    run: { process: [node, agent.cjs, pump] }
    routes: { done: end, needs-fixes: end }
`;

const fenced = (document: object): string => `Done.\n\n\`\`\`json\n${JSON.stringify(document, null, 2)}\n\`\`\`\n`;

/** A run through three agents that each write a format of the team's own. */
async function runInOwnFormats(): Promise<{ folder: string; environment: Record<string, string>; run: string }> {
  const home = make({});
  const environment = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, USER: "tester" };
  const folder = make({
    "baton.yaml": WORKFLOW,
    "agent.cjs": AGENT,
    "src/refund.js": "1\n",
    "ledger.txt": fenced(NOTE),
    "ledger-1.txt": fenced({ ...NOTE, result: { state: "perfect", headline: "Done." } }),
    "shift.txt": SHIFT,
    "pump.txt": SLIP,
    ...Object.fromEntries(
      ["relay-note", "uebergabe", "visit-slip"].map((name) => [
        `baton.formats/${name}.format.yaml`,
        SPEC_FORMATS[name] ?? "",
      ]),
    ),
  });
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=ada@example.org", ...args], { cwd: folder });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "feat: begin");
  await baton(["trust"], { cwd: folder, env: environment });
  const ran = await baton(["run", "--brief", "Refunds", "--json"], { cwd: folder, env: environment });
  return { folder, environment, run: (JSON.parse(ran.stdout) as { run: string }).run };
}

describe.skipIf(hasNoBrowser())("a run in formats of one's own", () => {
  const complaints: string[] = [];
  const browser = visitor(complaints);
  let served: Served;
  let run: string;
  let page: Page;

  beforeAll(async () => {
    const world = await runInOwnFormats();
    ({ run } = world);
    served = await serve(world);
    page = await browser.visit(served);
    return async () => served.stop();
  }, 120_000);

  const open = async (path: string): Promise<void> => {
    await page.goto(`${served.origin}/runs/${run}${path}`);
    await page.locator(".text-row, .node").first().waitFor();
  };

  it("shows the words of the format beside its outcome", async () => {
    await open("/handoffs/s2.1?view=source");
    const head = page.locator("main").first();
    await head.getByText("uebergabe", { exact: true }).waitFor();
    await head.getByText("Done, warnings").waitFor();
    await head.locator(".mono").getByText("erledigt mit Hinweisen", { exact: true }).waitFor();
    await page.locator(".text-note").getByText("Not true: The file src/refund.js was changed.").waitFor();
  });

  it("shows what is wrong in place, with its rule, and cuts nothing off", async () => {
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await open("/handoffs/s1.1?view=source");
      const note = page.locator(".text-note").filter({ hasText: "relay-note/result.state" });
      await note.waitFor();
      const badge = note.locator(".badge");
      await expect.poll(() => badge.textContent(), patiently).toBe("Error");
      expect(await badge.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      const isTooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      expect([width, await page.evaluate(isTooWide)]).toEqual([width, false]);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("converts into the other formats of the run, too", async () => {
    await open("/handoffs/s2.1?view=convert");
    await page.getByLabel("Format").selectOption("visit-slip");
    await page.locator(".text-view").getByText('<slip by="shift"').waitFor();
    expect(complaints).toEqual([]);
  });
});
