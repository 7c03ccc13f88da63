import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openEngine } from "../../src/main/open-engine.ts";
import { type OpenServer, openServer } from "../../src/http/open-server.ts";
import { sessionOf } from "../../src/http/tokens.ts";
import { sendRaw } from "./raw-request.ts";

const TOKEN = "a-token-for-the-tests-only";
const room = mkdtempSync(join(tmpdir(), "baton-page-"));
let server: OpenServer;
let origin: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const pageFolder = join(room, "page");
  mkdirSync(join(pageFolder, "assets"), { recursive: true });
  writeFileSync(join(room, "secret.txt"), "nobody may see this");
  writeFileSync(
    join(pageFolder, "index.html"),
    '<!doctype html><meta name="description" content="Runs"><title>Page</title>',
  );
  writeFileSync(join(pageFolder, "assets/main.js"), "export {};");
  symlinkSync(join(room, "secret.txt"), join(pageFolder, "assets/link.txt"));
  const engine = openEngine(room);
  const about = { version: "1", root: "x", startedAt: 1, demo: false };
  server = await openServer({
    engine,
    keeper: null,
    mcp: { answer: () => Promise.reject(new Error("not asked")) },
    longWork: {
      measure: () => Promise.reject(new Error("not asked")),
      verify: () => Promise.reject(new Error("not asked")),
    },
    port: 0,
    token: TOKEN,
    pageFolder,
    about,
    sourceOf: () => ({ account: "tester", attempt: null }),
    isAttemptToken: () => false,
    hooks: () => Promise.reject(new Error("not asked")),
    schedules: () => Promise.reject(new Error("not asked")),
    limits: { requests: { each: 20, burst: 100 }, headers: 1_000, wholeRequest: 1_500 },
    notify: () => undefined,
  });
  origin = `http://127.0.0.1:${server.port}`;
  close = async () => {
    await server.stop();
    await engine.close();
  };
}, 60_000);

afterAll(async () => {
  await close();
  rmSync(room, { recursive: true, force: true });
});

const cookie = `baton_session=${sessionOf(TOKEN)}`;
const ask = (path: string, headers: Readonly<Record<string, string>> = { cookie }): Promise<Response> =>
  fetch(origin + path, { headers, redirect: "manual" });

describe("the server", () => {
  // All addresses of 127.0.0.0/8 are of this machine on Linux: a server that listens everywhere answers there.
  it.skipIf(process.platform !== "linux")("listens on 127.0.0.1 and nowhere else", async () => {
    for (const host of ["127.0.0.2", "[::1]"])
      await expect(fetch(`http://${host}:${server.port}/`), host).rejects.toMatchObject({
        cause: { code: expect.stringMatching(/^(?:ECONNREFUSED|EADDRNOTAVAIL)$/) },
      });
    expect((await ask("/")).status).toBe(200);
  });
});

describe("the page", () => {
  it("is opened by the link, and the token does not stay in the address", async () => {
    const response = await ask(`/runs/abc?token=${TOKEN}&view=steps`, {});
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/runs/abc?view=steps");
    expect(response.headers.get("set-cookie")).toBe(`${cookie}; Path=/; HttpOnly; SameSite=Strict`);
    expect((await ask(`//evil.example/?token=${TOKEN}`, {})).headers.get("location")).toBe("/");
  });

  it.each(["/", "/assets/main.js", "/runs/abc", "/index.html", "/?token=wrong"])(
    "is not shown to strangers: %s",
    async (path) => {
      const response = await ask(path, { accept: "text/html" });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toMatch(/<meta name="description"|export/);
    },
  );

  it("has a policy that lets only its own files work", async () => {
    const [first, second] = [await ask("/runs/abc"), await ask("/")];
    const policy = first.headers.get("content-security-policy") ?? "";
    expect(await first.text()).toContain("<title>Page</title>");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; ");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|nonce/);
    expect(second.headers.get("content-security-policy")).toBe(policy);
    for (const [name, value] of [
      ["x-content-type-options", "nosniff"],
      ["referrer-policy", "no-referrer"],
      ["cross-origin-opener-policy", "same-origin"],
      ["cross-origin-resource-policy", "same-origin"],
    ] as const)
      expect(first.headers.get(name)).toBe(value);
    expect(first.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("gives out its files and no others", async () => {
    const script = await ask("/assets/main.js");
    expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    const etag = script.headers.get("etag") ?? "";
    await script.text();
    expect((await ask("/assets/main.js", { cookie, "if-none-match": etag })).status).toBe(304);
    for (const path of [
      "/assets/none.js",
      "/assets/link.txt",
      "/secret.txt",
      "/assets/..%2f..%2fsecret.txt",
      "/%2e%2e/secret.txt",
      "/assets/%252e%252e/secret.txt",
      "/assets//main.js",
      "/assets/main.js%00.txt",
      "/..;/secret.txt",
    ]) {
      const response = await ask(path);
      expect([path, response.status >= 400]).toEqual([path, true]);
      expect(await response.text()).not.toContain("nobody may see this");
    }
    const raw = await sendRaw(
      server.port,
      `GET /assets/../../secret.txt HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
    );
    expect([raw.status, raw.text.includes("nobody")]).toEqual([400, false]);
  });
});

/** How many connections the kernel has open at the server's end. */
async function connectionsOf(port: number): Promise<number> {
  const table = await readFile("/proc/net/tcp", "utf8");
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").filter((line) => {
    const [, at, , state, , , , , , inode] = line.trim().split(/\s+/);
    // Without an inode the connection is only the kernel's.
    return at === local && state !== LISTEN && inode !== "0";
  }).length;
}
const LISTEN = "0A";

/** Over a connection of its own. */
async function askAnew(): Promise<number> {
  const lines = ["GET /api/about HTTP/1.1", `Host: 127.0.0.1:${server.port}`, `Cookie: ${cookie}`, "", ""];
  return (await sendRaw(server.port, lines.join("\r\n"))).status;
}

describe("a server that is pressed", () => {
  it("cuts off whoever sends too slowly, and serves the others meanwhile", { timeout: 60_000 }, async () => {
    const slow = [
      "GET /api/about HTTP/1.1\r\nHost: 127",
      `POST /api/runs/x/cancel HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    ];
    const ends = slow.map(
      (text) =>
        new Promise<string>((resolve) => {
          const socket = connect(server.port, "127.0.0.1");
          let heard = "";
          socket.on("data", (bytes: Buffer) => (heard += bytes.toString("latin1")));
          socket.on("error", () => undefined);
          socket.on("close", () => resolve(heard));
          socket.write(text);
        }),
    );
    expect((await ask("/api/about")).status).toBe(200);
    for (const heard of await Promise.all(ends)) expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it.each([
    ["send nothing", ""],
    ["send half a request", "GET /api/about HTTP/1.1\r\nHost: 127"],
    ["send no HTTP", "\u0016\u0003\u0001\r\n\r\n"],
  ])("answers beside 2,200 connections that %s and never hang up", { timeout: 60_000 }, async (_what, text) => {
    const open: Socket[] = [];
    try {
      for (let round = 0; round < 22; round++) {
        const sockets = Array.from({ length: 100 }, () => {
          const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
          socket.on("error", () => undefined);
          socket.on("data", () => undefined);
          if (text !== "") socket.write(text, "latin1");
          return socket;
        });
        open.push(...sockets);
        await Promise.all(
          sockets.map(async (socket) => Promise.race([once(socket, "connect"), once(socket, "close")])),
        );
      }
      expect(await askAnew()).toBe(200);
      // Those that were told to go are gone, although they have not said goodbye.
      await new Promise((resolve) => setTimeout(resolve, 4_500));
      expect(open.filter((socket) => !socket.readableEnded && !socket.destroyed)).toEqual([]);
      expect(await connectionsOf(server.port)).toBeLessThan(20);
      expect(await askAnew()).toBe(200);
    } finally {
      for (const socket of open) socket.destroy();
    }
  });

  it("counts guesses at the token of an attempt, and does not wait for what they send", async () => {
    const statuses = new Set<number>();
    for (let turn = 0; turn < 70; turn++) {
      const head = [
        "POST /api/runs/some-run/handoffs HTTP/1.1",
        `Host: 127.0.0.1:${server.port}`,
        `Authorization: Bearer guess-${turn}`,
        "Content-Type: text/plain",
        "Content-Length: 1000",
        "Idempotency-Key: a",
      ];
      const started = performance.now();
      statuses.add((await sendRaw(server.port, `${head.join("\r\n")}\r\n\r\n`)).status);
      expect(performance.now() - started).toBeLessThan(1_000);
    }
    expect(statuses).toEqual(new Set([401, 429]));
  });

  it("says when to come again to whoever guesses tokens, and lets in whoever has one", async () => {
    // The test before this one used up what a second allows; a moment later the server answers guesses again.
    const isAnswered = async (): Promise<boolean> => {
      const response = await ask("/api/about", { authorization: "Bearer guess" });
      await response.text();
      return response.status === 401;
    };
    await vi.waitUntil(isAnswered, { timeout: 5_000, interval: 250 });
    const statuses = new Set<number>([401]);
    for (let turn = 0; turn < 120; turn++) {
      const response = await ask("/api/about", { authorization: `Bearer guess-${turn}` });
      statuses.add(response.status);
      if (response.status === 429) expect(response.headers.get("retry-after")).toBe("1");
      await response.text();
    }
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await ask("/api/about")).status).toBe(200);
  });

  it("answers 429 when it is asked too much at once, and goes on", async () => {
    const statuses: number[] = [];
    const crowd = Array.from({ length: 400 }, async () => {
      const response = await ask("/api/about");
      await response.arrayBuffer();
      statuses.push(response.status);
    });
    await Promise.all(crowd);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await ask("/api/about")).status).toBe(200);
  });

  it("hangs up on what is no HTTP", async () => {
    for (const text of [
      "\u0000\u0001\u0002\r\n\r\n",
      "HELLO\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX: ${"y".repeat(40_000)}\r\n\r\n`,
    ]) {
      const { status, text: heard } = await sendRaw(server.port, text);
      expect(status === 0 || status >= 400).toBe(true);
      expect(heard).not.toContain("Page");
    }
  });
});
