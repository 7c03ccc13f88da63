import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import type { Bar } from "./bar.ts";
import { median } from "./measure.ts";

const PROGRAM = process.env["BATON_CHROMIUM"] ?? "/usr/bin/chromium";
const TIMES = 15;
const MOST_MILLISECONDS = 1_000;

interface Place {
  readonly what: string;
  readonly path: string;
  /** What a person can use when it is there. */
  readonly shows: string;
}

/** From the address to what a person came for, in a real browser whose cache is empty each time. */
export async function measurePages(link: URL, run: string, tell: (bar: Bar) => void): Promise<void> {
  if (!existsSync(PROGRAM)) {
    console.log("the page is not measured: there is no Chromium; name it with BATON_CHROMIUM");
    return;
  }
  const places: readonly Place[] = [
    { what: "runs page usable", path: "/", shows: 'a[href^="/runs/"]' },
    { what: "run page usable, 5,000 events", path: `/runs/${run}`, shows: ".react-flow__node" },
  ];
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
  try {
    for (const { what, path, shows } of places) {
      const times: number[] = [];
      for (let time = -1; time < TIMES; time++) {
        const taken = await openOnce(browser, link, path, shows);
        // The first one starts the browser's own processes.
        if (time >= 0) times.push(taken);
      }
      const slowest = `slowest ${Math.max(...times).toFixed(0)} ms`;
      const baseline = `empty cache, ${TIMES} times`;
      tell({ what, ours: slowest, baseline, figure: median(times), most: MOST_MILLISECONDS, unit: "ms" });
    }
  } finally {
    await browser.close();
  }
}

async function openOnce(browser: Browser, link: URL, path: string, shows: string): Promise<number> {
  const page = await browser.newPage();
  const began = performance.now();
  // With the token in the address, as somebody opens it from the terminal.
  await page.goto(`${link.origin}${path}${link.search}`, { waitUntil: "commit" });
  await page.locator(shows).first().waitFor();
  const taken = performance.now() - began;
  await page.close();
  return taken;
}
