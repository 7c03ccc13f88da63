import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { EXAMPLES, prepareExample } from "../../examples/prepare-example.mjs";
import type { ServeOptions, ServedPage } from "../../src/cli/terminal.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { openHttp } from "../../src/main/open-http.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { baton } from "../cli/run-baton.ts";

/** A repository of its own, with a home of its own, and a server over it in this process. */
export interface Room {
  readonly folder: string;
  readonly engine: Engine;
  readonly token: string;
  readonly origin: string;
  readonly configFolder: string;
  /** What the server complained about. */
  readonly notes: string[];
  /** With the server's token. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Ends this server and starts another one over the same state. */
  restart(): Promise<void>;
}

interface RoomOptions extends Partial<ServeOptions> {
  /** Command lines of the example that are run before the server starts; all of them unless given. */
  readonly lines?: number;
  /** Where the operator's trust is looked for, instead of where the runs were started. */
  readonly configFolder?: string;
}

/** Gone, with all that runs in it, when the test file ends. */
export async function openRoom(example: string, options: RoomOptions = {}): Promise<Room> {
  const room = mkdtempSync(join(tmpdir(), "baton-http-"));
  const folder = prepareExample(example, room);
  const home = mkdtempSync(join(room, "home-"));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), USER: "tester" };
  const lines = (EXAMPLES[example] ?? []).slice(0, options.lines ?? 9);
  for (const { args, code = 0 } of lines) {
    const run = await baton(args, { cwd: folder, env });
    if (run.code !== code) throw new Error(`baton ${args.join(" ")} ended with ${run.code}: ${run.stderr}`);
  }
  const configFolder = options.configFolder ?? join(env.XDG_CONFIG_HOME, "baton");
  const served = await startServer(folder, configFolder, options);
  afterAll(async () => {
    await served.stop();
    rmSync(room, { recursive: true, force: true });
  });
  return served.room;
}

async function startServer(
  folder: string,
  configFolder: string,
  options: RoomOptions,
): Promise<{ readonly room: Room; stop(): Promise<void> }> {
  const notes: string[] = [];
  const around = { configFolder, version: "0.0.0-test", note: (text: string) => void notes.push(text) };
  const open = async (port: number): Promise<{ engine: Engine; page: ServedPage }> => {
    const engine = openEngine(folder);
    const settings = { port, drives: true, isDemo: false, webhooks: [], ...options, ...(port > 0 && { port }) };
    return { engine, page: await openHttp(engine, settings, around) };
  };
  let { engine, page } = await open(0);
  const close = async (): Promise<void> => {
    await page.stop();
    await engine.close();
  };
  const token = new URL(page.link).searchParams.get("token") ?? "";
  const origin = `http://127.0.0.1:${page.port}`;
  const authorization = `Bearer ${token}`;
  const room: Room = {
    folder,
    get engine() {
      return engine;
    },
    token,
    origin,
    configFolder,
    notes,
    get: (path, headers = {}) => fetch(origin + path, { headers: { authorization, ...headers }, redirect: "manual" }),
    post: (path, body, headers = {}) =>
      fetch(origin + path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { authorization, "content-type": "application/json", ...headers },
      }),
    async restart() {
      const { port } = page;
      await close();
      ({ engine, page } = await open(port));
    },
  };
  return { room, stop: close };
}

/** Asks again until it is so; a test that waits for ever is ended by its time limit. */
export async function until<T>(look: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
