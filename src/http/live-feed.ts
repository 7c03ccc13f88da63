import type { ServerResponse } from "node:http";
import type { Engine } from "../runtime/engine.ts";
import { eventsAfter, lastPosition } from "../runtime/operations/show-run.ts";

type Log = Pick<Engine["ports"], "log">;
type Item = Awaited<ReturnType<typeof eventsAfter>>[number];

const PAGE = 500;
const POLL_TIME = 50;
const HEARTBEAT = 15_000;
/** Bytes that may wait for a client that does not read. Beyond it the client is disconnected; it connects again with the id of its last event. */
const MAX_WAITING = 8 * 1_048_576;
const MAX_CATCH_UP = 30_000;

interface Client {
  readonly response: ServerResponse;
  readonly run: string | null;
  /** Everything up to here was sent. */
  position: number;
}

/**
 * Reads the log once for all clients. Each client gets every entry once and in order: first what it missed,
 * page by page at its own pace, then what is new together with all others.
 */
export class LiveFeed {
  readonly #ports: Log;
  readonly #clients = new Set<Client>();
  #position = 0;
  #reading: Promise<void> | null = null;
  #isStopping = false;
  #waiting = 0;

  constructor(ports: Log) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#clients.size + this.#waiting;
  }

  /** Sends from after this position on, or from now on, until the client is gone or is disconnected. */
  async join(response: ServerResponse, run: string | null, after: number | null): Promise<void> {
    this.#waiting++;
    try {
      await this.#begin();
      // A position that this log has not reached comes from another log.
      const from = after === null || after > this.#position ? this.#position : after;
      await this.#follow({ response, run, position: from });
    } finally {
      this.#waiting--;
    }
  }

  /** Clients are told, and connect again when there is a server again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { response } of this.#clients) response.end("event: closing\ndata: {}\n\n");
    await this.#reading;
  }

  async #begin(): Promise<void> {
    if (this.#reading !== null || this.#isStopping) return;
    const position = await lastPosition(this.#ports);
    if (this.#reading !== null) return;
    this.#position = position;
    this.#reading = this.#readLog();
  }

  /** A client joins the others at the moment at which it has everything they have. */
  async #follow(client: Client): Promise<void> {
    const deadline = performance.now() + MAX_CATCH_UP;
    while (client.position < this.#position && !isGone(client.response)) {
      const target = this.#position;
      const found = await eventsAfter(this.#ports, client.position, PAGE, client.run ?? undefined);
      const items = found.filter(({ position }) => position <= target);
      if (items.length > 0) client.response.write(framesOf(items));
      client.position =
        found.length < PAGE || items.length < found.length ? target : (items.at(-1)?.position ?? target);
      if (!(await drained(client.response, deadline))) client.response.destroy();
    }
    if (isGone(client.response)) return;
    this.#clients.add(client);
    client.response.once("close", () => this.#clients.delete(client));
  }

  /** Reads while there are clients. */
  async #readLog(): Promise<void> {
    let beatAt = performance.now() + HEARTBEAT;
    while (!this.#isStopping && this.size > 0) {
      const items = await this.#nextItems();
      if (items.length > 0) this.#broadcast(items);
      if (performance.now() > beatAt) {
        for (const client of this.#clients) send(client, BEAT);
        beatAt = performance.now() + HEARTBEAT;
      }
      if (items.length < PAGE) await new Promise((resolve) => setTimeout(resolve, POLL_TIME));
    }
    this.#reading = null;
  }

  /** A store that does not answer is asked again. */
  async #nextItems(): Promise<Item[]> {
    try {
      return await eventsAfter(this.#ports, this.#position, PAGE);
    } catch {
      return [];
    }
  }

  /** The bytes are made once and shared by all clients. */
  #broadcast(items: readonly Item[]): void {
    const all = Buffer.concat([framesOf(items), changedFrame(items)]);
    const ofRuns = new Map<string, Buffer>();
    for (const client of this.#clients) {
      if (client.run === null) send(client, all);
      else {
        const frames = ofRuns.get(client.run) ?? runFrames(items, client.run);
        ofRuns.set(client.run, frames);
        if (frames.length > 0) send(client, frames);
      }
    }
    this.#position = items.at(-1)?.position ?? this.#position;
  }
}

const BEAT = Buffer.from(": still here\n\n");

function send({ response }: Client, bytes: Buffer): void {
  if (response.writableLength > MAX_WAITING) response.destroy();
  else response.write(bytes);
}

function isGone(response: ServerResponse): boolean {
  return response.destroyed || response.writableEnded;
}

/** JSON has no line breaks, so nothing that an agent wrote can begin a line of its own. */
function framesOf(items: readonly Item[]): Buffer {
  return Buffer.from(
    items.map((item) => `id: ${item.position}\nevent: entry\ndata: ${JSON.stringify(item)}\n\n`).join(""),
  );
}

function changedFrame(items: readonly Item[]): Buffer {
  const runs = [...new Set(items.map(({ run }) => run))];
  return Buffer.from(`event: changed\ndata: ${JSON.stringify({ runs })}\n\n`);
}

function runFrames(items: readonly Item[], run: string): Buffer {
  const own = items.filter((item) => item.run === run);
  return own.length === 0 ? Buffer.alloc(0) : Buffer.concat([framesOf(own), changedFrame(own)]);
}

/** False when the client has not read in time. */
async function drained(response: ServerResponse, deadline: number): Promise<boolean> {
  while (response.writableNeedDrain && !isGone(response)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
