import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { projectRoot } from "../cli/run-baton.ts";
import { type Repository, WORKFLOW, behave, examples, pretend } from "../e2e/workflows/repository.ts";

const PLACES = [
  process.env["BATON_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const program = PLACES.find((place) => place !== "" && existsSync(place)) ?? null;

/** On a machine without a browser these tests are left out; in CI they fail. */
export function hasNoBrowser(): boolean {
  if (program !== null || process.env["CI"] !== undefined) return false;
  console.log("left out: there is no Chromium; name it with BATON_CHROMIUM");
  return true;
}

/** For `expect.poll`: what is waited for comes when it comes. */
export const patiently = { timeout: 20_000 } as const;

interface Visitor {
  /** A browser that was let in by the link, at this path; each call is another person. */
  visit(served: Served, path?: string, options?: BrowserContextOptions): Promise<Page>;
  readonly browser: Browser;
}

/** A real browser for one test file. What any page complains about in its console is in `complaints`. */
export function visitor(complaints: string[] = []): Visitor {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: program ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  });
  afterAll(async () => browser?.close());
  const opened = (): Browser => {
    if (browser === null) throw new Error("The browser was not started.");
    return browser;
  };
  return {
    get browser() {
      return opened();
    },
    async visit(served, path = "/", options = {}) {
      const context = await opened().newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(served.link);
      if (path !== "/") await page.goto(served.origin + path);
      return page;
    },
  };
}

export interface Served {
  readonly link: string;
  readonly origin: string;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** `baton serve` as a person starts it, over a repository. */
export async function serve(
  { folder, environment }: Pick<Repository, "folder" | "environment">,
  port = 0,
  more: readonly string[] = [],
): Promise<Served> {
  const command = join(projectRoot, "dist/cli/baton.cjs");
  const child = spawn(process.execPath, [command, "serve", "--json", "--port", String(port), ...more], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  const told = JSON.parse(await firstLine(child)) as { readonly link: string; readonly port: number };
  return { ...told, origin: `http://127.0.0.1:${told.port}`, stop };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The server has no output.");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("The server ended before it told its address.");
}

export interface World {
  readonly repository: Repository;
  /** The run that listed a file which it had not written. */
  readonly liar: string;
  /** A run that waits for somebody to say that its first agent may start. */
  readonly waiting: string;
  /** A run that asks in which currency. */
  readonly asking: string;
}

/** A repository in which three things have happened; its agents only pretend, so that it is quickly made. */
export async function makeWorld(): Promise<World> {
  const repository = pretendingRepository();
  await repository.baton("trust", WORKFLOW);
  const run = async (behaviours: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> => {
    behave(repository, behaviours);
    await repository.baton("run", WORKFLOW, ...args);
    return (await repository.view()).run;
  };
  const liar = await run({ TestAgent: "lists a file it has not written, at first" }, "--brief", "Carts get a discount");
  const asking = await run({ BackendBuilder: "asks a question" }, "--brief", "Prices in other currencies");
  const waiting = await run({}, "--mode", "supervised", "--brief", HOSTILE);
  behave(repository, {});
  return { repository, liar, waiting, asking };
}

/** A repository with one run that waits, and nothing else. */
export async function makeWaitingRun(): Promise<{ readonly repository: Repository; readonly waiting: string }> {
  const repository = pretendingRepository();
  await repository.baton("trust", WORKFLOW);
  await repository.baton("run", WORKFLOW, "--mode", "supervised");
  return { repository, waiting: (await repository.view()).run };
}

let example: ((name: string) => Repository) | null = null;

/** Must be called while the tests of a file are collected: what it makes is gone when they end. */
export function repositories(): void {
  example = examples();
}

export function exampleRepository(name: string): Repository {
  if (example === null) throw new Error("repositories() comes first.");
  return example(name);
}

export function pretendingRepository(): Repository {
  const repository = exampleRepository("pipeline");
  pretend(repository, {});
  return repository;
}

/** A brief that would like to be more than text. */
const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> \u202Etxet\u001b[31m red ${"long".repeat(60)}`;
