import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebhookSender } from "../../src/http/webhooks/webhook-sender.ts";
import { type Webhook, checkedApart, checkedUrl, readWebhooks } from "../../src/http/webhooks/webhook.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { NOTIFICATION_KINDS, type Notification } from "../../src/runtime/operations/list-notifications.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { commitOf } from "../contracts/event-log-commits.ts";
import { until } from "./server-room.ts";

const SECRET = "a secret that is long enough";
const rooms: string[] = [];
afterAll(() => {
  for (const room of rooms) rmSync(room, { recursive: true, force: true });
});

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly news: Notification;
}

let engine: Engine;
let receiver: Server;
let received: Received[];
/** What the receiver answers with, one after the other; 200 when there is nothing left. */
let answers: number[];
let webhook: Webhook;
const senders: WebhookSender[] = [];
const troubles: string[] = [];

beforeEach(async () => {
  const room = mkdtempSync(join(tmpdir(), "baton-webhooks-"));
  rooms.push(room);
  engine = openEngine(room);
  [received, answers] = [[], []];
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => {
      const status = answers.shift() ?? 200;
      if (status === 200) received.push({ headers: request.headers, body, news: JSON.parse(body) as Notification });
      response.writeHead(status, status === 302 ? { location: "http://127.0.0.1:1/" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  webhook = { url: `http://127.0.0.1:${port}/hook`, secret: SECRET, kinds: NOTIFICATION_KINDS };
});

afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop()));
  await engine.close();
  await new Promise((resolve) => receiver.close(resolve));
});

function start(): WebhookSender {
  const sender = new WebhookSender(engine, webhook, {
    notify: (trouble) => troubles.push(trouble),
    pollTime: 20,
    firstWait: 10,
  });
  senders.push(sender);
  return sender;
}

/** Until it has noted from where on it tells. */
async function startReady(): Promise<WebhookSender> {
  const sender = start();
  await until(
    async () => existsSync(join(engine.stateFolder, "webhooks")),
    (isThere) => isThere,
  );
  return sender;
}

let made = 0;
async function happen(...events: readonly { readonly kind: string }[]): Promise<string> {
  return happenAt(Date.now(), ...events);
}

async function happenAt(at: number, ...events: readonly { readonly kind: string }[]): Promise<string> {
  const { log } = engine.ports;
  const run = `run${made++}`;
  const lease = await log.create({ run, name: "flow", workflow: "x", at }, "w", Date.now() + 1e9);
  await log.commit(
    commitOf(lease, 0, { at, entries: events.map((event) => ({ kind: event.kind, data: { ...event } })) }),
  );
  return run;
}

const completed = { kind: "run-completed", at: 1, reason: "all done" };
const noticed = { kind: "agent-notified", agent: "ops", text: "tests fail", by: "TestAgent" };
const ask = { id: "q1", kind: "before", task: "main", agent: "builder", title: "May it start?", details: [] };
const asked = {
  kind: "ask-opened",
  ask: { ...ask, choices: ["approve", "reject"], openedAt: 1, dueAt: null, reminders: 0 },
};

describe("webhooks", () => {
  it("tell of questions, notices and ends, signed, in order, and of nothing else", async () => {
    await happen(completed);
    await startReady();
    const run = await happen(noticed, { kind: "timer-cleared", timer: "x" } as { kind: string }, asked, completed);
    await until(
      async () => received.length,
      (count) => count >= 3,
    );
    expect(received.map(({ news }) => [news.kind, news.run, news.workflow])).toEqual([
      ["notice", run, "flow"],
      ["ask", run, "flow"],
      ["end", run, "flow"],
    ]);
    for (const { headers, body, news } of received) {
      const expected = createHmac("sha256", SECRET)
        .update(`${String(headers["baton-timestamp"])}.${body}`)
        .digest("hex");
      expect(headers["baton-signature"]).toBe(`v1=${expected}`);
      expect(headers["baton-delivery"]).toBe(news.id);
    }
  });

  it("try again until they are taken, and keep the order", async () => {
    await startReady();
    answers = [500, 302, 429, 503];
    await happen(noticed, completed);
    await until(
      async () => received.length,
      (count) => count >= 2,
    );
    expect(received.map(({ news }) => news.kind)).toEqual(["notice", "end"]);
    expect(troubles.some((trouble) => trouble.includes("it answered 500"))).toBe(true);
  });

  it("neither lose nor repeat anything when the server is restarted", async () => {
    const first = await startReady();
    await happen(completed);
    await until(
      async () => received.length,
      (count) => count >= 1,
    );
    await first.stop();
    for (let turn = 0; turn < 5; turn++) await happen(noticed);
    start();
    await until(
      async () => received.length,
      (count) => count >= 6,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(new Set(received.map(({ news }) => news.id)).size).toBe(6);
    expect(received).toHaveLength(6);
  });

  it("go on when an older copy of the log was put in its place", async () => {
    await (await startReady()).stop();
    const [name = ""] = readdirSync(join(engine.stateFolder, "webhooks"));
    writeFileSync(join(engine.stateFolder, "webhooks", name), JSON.stringify({ position: 500, stalls: [] }));
    start();
    await until(
      async () => readFileSync(join(engine.stateFolder, "webhooks", name), "utf8"),
      (kept) => !kept.includes("500"),
    );
    const run = await happen(completed);
    await until(
      async () => received.length,
      (count) => count >= 1,
    );
    expect(received.map(({ news }) => news.run)).toEqual([run]);
  });

  it("try again also with the stall of a run in which nothing has happened for days", async () => {
    await (await startReady()).stop();
    const run = await happenAt(Date.now() - 3 * 86_400_000, { kind: "run-started" });
    answers = [503, 503];
    start();
    await until(
      async () => received.length,
      (count) => count >= 1,
    );
    expect(received.map(({ news }) => [news.kind, news.run])).toEqual([["stall", run]]);
  });

  it("tell only what is wanted", async () => {
    webhook = { ...webhook, kinds: ["end"] };
    await startReady();
    await happen(noticed, asked, completed);
    await until(
      async () => received.length,
      (count) => count >= 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(received.map(({ news }) => news.kind)).toEqual(["end"]);
  });

  it.each(["file:///etc/passwd", "ftp://x/", "javascript:alert(1)", "http://user:word@host/", "nothing", ""])(
    "refuse %s",
    (url) => {
      expect(() => checkedUrl(url)).toThrow("http");
    },
  );

  it("say where the file is wrong, and never show a secret", () => {
    const read = (item: object) => () => readWebhooks(JSON.stringify([item]), "webhooks.json");
    expect(read({ url: 1, secret: SECRET })).toThrow("in item 1, url must be text, but is 1");
    expect(read({ url: "https://a/", secret: SECRET, kinds: ["ends"] })).toThrow(
      'kinds[0] must be one of ask, stall, end, notice, but is "ends"',
    );
    for (const secret of ["tooshort", 1234])
      expect(read({ url: "https://a/", secret })).toThrow(/^(?!.*(?:tooshort|1234)).*at least 16 characters/);
  });

  it("are read from the operator's file, or refused with what is wrong", () => {
    const read = (text: string): unknown => readWebhooks(text, "webhooks.json");
    expect(read(JSON.stringify([{ url: "https://example.org/a", secret: SECRET }]))).toEqual([
      { url: "https://example.org/a", secret: SECRET, kinds: [...NOTIFICATION_KINDS] },
    ]);
    for (const text of [
      "",
      "{}",
      "[1]",
      '[{"url":"https://a/"}]',
      '[{"url":"https://a/","secret":"short"}]',
      JSON.stringify([{ url: "https://a/", secret: SECRET, kinds: ["gossip"] }]),
    ])
      expect(() => read(text)).toThrow("webhooks.json");
  });

  it("are refused where two have one address: one would miss what the other was told", () => {
    const asks: Webhook = { url: checkedUrl("https://example.org"), secret: SECRET, kinds: ["ask"] };
    const ends: Webhook = { url: checkedUrl("https://EXAMPLE.org/"), secret: SECRET, kinds: ["end"] };
    expect(() => checkedApart([asks, ends])).toThrow("Two webhooks have one address, at example.org.");
    expect(checkedApart([asks, { ...ends, url: checkedUrl("https://example.org/b") }])).toHaveLength(2);
  });

  it("keep how far they came for their owner only", async () => {
    await startReady();
    const folder = join(engine.stateFolder, "webhooks");
    expect(
      JSON.parse(
        readFileSync(join(folder, "..", "webhooks", (await import("node:fs")).readdirSync(folder)[0] ?? ""), "utf8"),
      ),
    ).toMatchObject({ position: 0 });
  });
});
