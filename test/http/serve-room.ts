import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "vitest";
import { projectRoot } from "../cli/run-baton.ts";

interface Served {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly token: string;
  readonly port: number;
  readonly ended: Promise<number | null>;
  /** What it has told besides, so far. */
  notes(): string;
  get(path: string): Promise<Response>;
}

interface ServeRoom {
  readonly room: string;
  readonly environment: Readonly<Record<string, string>>;
  newFolder(): string;
  /** The built command as a user starts it, at any port that is free. */
  serve(folder: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Served>;
  /** The same at no port in particular. */
  serveAnywhere(folder: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Served>;
}

/** Folders and servers that are gone when the test file ends. */
export function serveRoom(): ServeRoom {
  const room = mkdtempSync(join(tmpdir(), "baton-serve-"));
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(room, { recursive: true, force: true });
  });
  const environment = { HOME: room, XDG_CONFIG_HOME: join(room, "config") };
  const serveAnywhere: ServeRoom["serve"] = async (folder, args = [], env = {}) => {
    const command = join(projectRoot, "dist/cli/baton.cjs");
    const child = spawn(process.execPath, [command, "serve", "--json", ...args], {
      cwd: folder,
      env: { ...process.env, ...environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    const errors: string[] = [];
    child.stderr.on("data", (bytes: Buffer) => errors.push(bytes.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const line = await Promise.race([
      new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve)),
      ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${errors.join("")}`))),
    ]);
    const { link, port } = JSON.parse(line) as { link: string; port: number };
    const { origin, searchParams } = new URL(link);
    const token = searchParams.get("token") ?? "";
    const headers = { authorization: `Bearer ${token}` };
    const notes = (): string => errors.join("");
    return { child, ended, origin, port, token, notes, get: (path) => fetch(origin + path, { headers }) };
  };
  return {
    room,
    environment,
    newFolder() {
      const folder = mkdtempSync(join(room, "repository-"));
      mkdirSync(join(folder, ".git"));
      return folder;
    },
    serve: (folder, args = [], env) => serveAnywhere(folder, ["--port", "0", ...args], env),
    serveAnywhere,
  };
}
