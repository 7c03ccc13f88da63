import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
    longWork: {
      measure: () => Promise.reject(new Error("not asked")),
      verify: () => Promise.reject(new Error("not asked")),
    },
    port: 0,
    token: TOKEN,
    pageFolder,
    about,
    user: "tester",
    isAttemptToken: () => false,
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

  it("says when to come again to whoever guesses tokens, and lets in whoever has one", async () => {
    const statuses = new Set<number>();
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
