import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { createSocket, type Socket } from "node:dgram";
import { join } from "node:path";
import { isLiving } from "../agents/living-processes.ts";
import { aFolder, livingWith } from "./gates.ts";

export const SECRET = "SECRET-7f3a-DO-NOT-TELL";

/** Everything around a gate that it must not touch, see or reach, and a directory that somebody hostile prepared. */
export class EscapeWorld {
  readonly base = aFolder("sandbox-escape-");
  readonly directory = join(this.base, "work/repository");
  readonly outside = join(this.base, "outside");
  readonly home = join(this.base, "home");
  /** A folder that the gate is brought, with a server behind a socket in it. */
  readonly brought = join(this.base, "packages/node_modules");
  readonly state = join(this.directory, ".baton");
  /** Part of the command line of every daemon. */
  readonly token = `9${process.pid}${Math.floor(performance.now() % 1e6)}`;
  readonly abstractName = `baton-escape-${process.pid}-${Math.floor(performance.now())}`;
  readonly socketPath = join(this.base, "agent.sock");
  readonly victim: ChildProcess = spawn("sleep", ["3600"], {
    stdio: "ignore",
    env: { ...process.env, TOKEN: SECRET },
  });
  port = 0;
  datagramPort = 0;
  connections = 0;
  readonly #servers: Server[] = [];
  #datagrams: Socket | null = null;
  #before = new Map<string, string>();

  async open(): Promise<void> {
    for (const folder of [this.outside, join(this.outside, "folder"), join(this.home, ".ssh"), this.state])
      mkdirSync(folder, { recursive: true });
    for (const folder of ["hooks", "info"]) mkdirSync(join(this.directory, ".git", folder), { recursive: true });
    writeFileSync(join(this.outside, "canary.txt"), "canary");
    mkdirSync(join(this.brought, "one"), { recursive: true });
    writeFileSync(join(this.brought, "one/index.js"), "canary");
    for (const place of this.secrets) writeFileSync(place, SECRET, { mode: 0o600 });
    writeFileSync(join(this.directory, ".git/config"), "[core]\n\tbare = false\n");
    writeFileSync(join(this.directory, ".git/hooks/pre-commit"), "#!/bin/sh\n");
    writeFileSync(join(this.directory, "own.txt"), "own");
    symlinkSync(this.outside, join(this.directory, "link"));
    symlinkSync("../../outside", join(this.directory, "relative-link"));
    symlinkSync(join(this.outside, "canary.txt"), join(this.directory, "canary-link"));
    symlinkSync("/proc/1/root", join(this.directory, "root-link"));
    this.port = await this.#listen({ port: 0, host: "127.0.0.1" });
    await this.#listen({ path: this.socketPath });
    await this.#listen({ path: join(this.brought, "daemon.sock") });
    await this.#listen({ path: `\0${this.abstractName}` });
    this.datagramPort = await this.#receive();
    this.#before = this.#look();
  }

  get secrets(): string[] {
    return [
      join(this.outside, "secret"),
      join(this.home, ".ssh/id_ed25519"),
      join(this.home, ".npmrc"),
      join(this.state, "baton.db"),
    ];
  }

  /** What has changed out there, in plain words; nothing, if all is well. */
  findDamage(output: string): string[] {
    const after = this.#look();
    const places = new Set([...this.#before.keys(), ...after.keys()]);
    const changed = [...places].filter((place) => this.#before.get(place) !== after.get(place));
    return [
      ...changed.map(
        (place) => `${place} was ${this.#before.get(place) ?? "absent"} and is ${after.get(place) ?? "absent"}`,
      ),
      ...(output.includes(SECRET) ? ["a secret was printed"] : []),
      ...setuidFiles(this.directory).map((place) => `${place} runs as its owner`),
      ...(this.connections > 0 ? [`${this.connections} connections`] : []),
      ...livingWith(this.token).map((pid) => `process ${pid} is still there`),
      ...(isLiving(this.victim.pid ?? 0) ? [] : ["the process outside was ended"]),
    ];
  }

  close(): void {
    this.victim.kill("SIGKILL");
    for (const server of this.#servers.splice(0)) server.close();
    this.#datagrams?.close();
    this.#datagrams = null;
  }

  /** All but the directory itself; of that, what can only be read. */
  #look(): Map<string, string> {
    const found = new Map<string, string>();
    for (const folder of [this.base, join(this.directory, ".git"), this.state]) addTree(found, folder, this.directory);
    for (const variable of VARIABLES) found.set(variable, readQuietly(variable));
    return found;
  }

  async #listen(where: { port: number; host: string } | { path: string }): Promise<number> {
    const server = createServer((socket) => {
      this.connections += 1;
      socket.destroy();
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => void server.listen(where, resolve));
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  async #receive(): Promise<number> {
    const socket = createSocket("udp4", () => (this.connections += 1));
    this.#datagrams = socket;
    await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve));
    return socket.address().port;
  }
}

/** Variables of the kernel that nobody changes while a test runs. */
export const VARIABLES = ["core_pattern", "modprobe", "hostname", "panic"].map((name) => `/proc/sys/kernel/${name}`);

function addTree(found: Map<string, string>, place: string, except: string): void {
  const stats = lstatSync(place);
  const content = stats.isFile() ? readQuietly(place) : "";
  found.set(place, `${stats.mode.toString(8)} ${stats.uid} ${stats.ino} ${content}`);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(place)) if (join(place, name) !== except) addTree(found, join(place, name), except);
}

function setuidFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) return isOpen(place) ? setuidFiles(place) : [];
    return entry.isFile() && (lstatSync(place).mode & 0o6000) !== 0 ? [place] : [];
  });
}

function isOpen(folder: string): boolean {
  chmodSync(folder, 0o755);
  return true;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
