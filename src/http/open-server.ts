import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { AppError } from "../shared/app-error.ts";
import { type Bindings, buildApp, isApi, refuse } from "./app.ts";
import type { RunKeeper, Surroundings } from "./asked.ts";
import { checkShape, checkWrite, findCaller, needsToken } from "./gate.ts";
import { setSecurityHeaders } from "./headers.ts";
import { Bucket, LIMITS, type Limits, tooMany } from "./limits.ts";
import { LiveFeed } from "./live-feed.ts";
import { admit, answerStranger } from "./page-answer.ts";
import { PageFiles } from "./page-files.ts";
import { refusalOf } from "./refusal.ts";

export type { LongWork, RunKeeper } from "./asked.ts";

export interface ServerOptions extends Omit<Surroundings, "feed" | "keeper"> {
  readonly keeper: RunKeeper | null;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Whether any other that is free will do where it is taken. */
  readonly mayMove?: boolean;
  readonly token: string;
  /** Where the built page is. */
  readonly pageFolder: string;
  /** Others than the usual ones. */
  readonly limits?: Partial<Limits>;
  /** Told of faults of our own. */
  readonly tell: (trouble: unknown) => void;
}

export interface OpenServer {
  readonly port: number;
  /** With the token in it. */
  readonly link: string;
  /** Takes nothing new, finishes what was taken, tells live clients. */
  stop(): Promise<void>;
}

/** Only this machine can reach it. */
const HOST = "127.0.0.1";

export async function openServer(options: ServerOptions): Promise<OpenServer> {
  const feed = new LiveFeed(options.engine.machine);
  const limits: Limits = { ...LIMITS, ...options.limits };
  const door = new Door(options, feed, limits);
  const server = createServer(
    {
      headersTimeout: limits.headers,
      requestTimeout: limits.wholeRequest,
      keepAliveTimeout: LIMITS.keepAlive,
      connectionsCheckingInterval: Math.min(2_000, limits.headers),
      maxHeaderSize: 16_384,
      noDelay: true,
    },
    (request, response) => door.take(request, response),
  );
  server.maxConnections = LIMITS.connections;
  server.on("clientError", (error, socket) => hangUp(error, socket as Socket));
  const port = await listen(server, options.port, options.mayMove === true);
  door.open(port);
  return {
    port,
    link: `http://${HOST}:${port}/?token=${options.token}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await feed.stop();
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), LONGEST_STOP);
      await closed;
      clearTimeout(late);
    },
  };
}

const LONGEST_STOP = 10_000;

class Door {
  readonly #options: ServerOptions;
  readonly #listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly #requests: Bucket;
  readonly #failures: Bucket;
  readonly #mostAtOnce: number;
  readonly #feed: LiveFeed;
  #hosts: ReadonlySet<string> = new Set();
  /** Live clients too, for as long as they stay. */
  #atOnce = 0;

  constructor(options: ServerOptions, feed: LiveFeed, { requests, failures, atOnce }: Limits) {
    this.#options = options;
    this.#feed = feed;
    this.#requests = new Bucket(requests);
    this.#failures = new Bucket(failures);
    this.#mostAtOnce = atOnce;
    const app = buildApp({ ...options, feed }, new PageFiles(options.pageFolder), options.tell);
    this.#listener = getRequestListener((request, env) => app.fetch(request, this.#bind(env as Bindings)), {
      overrideGlobalObjects: false,
    });
  }

  open(port: number): void {
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
  }

  /** The gate is asked again where the request is answered: both look at the same headers. */
  #bind(env: Bindings): Bindings {
    return { ...env, caller: findCaller(env.incoming, this.#options.token) };
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    setSecurityHeaders(response);
    try {
      if (!this.#letIn(request, response)) return;
    } catch (error) {
      request.resume();
      refuse(response, refusalOf(error));
      return;
    }
    this.#atOnce++;
    response.once("close", () => this.#atOnce--);
    void this.#listener(request, response);
  }

  /** False when it was answered here. */
  #letIn(request: IncomingMessage, response: ServerResponse): boolean {
    const { token } = this.#options;
    checkShape(request, this.#hosts);
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    const caller = findCaller(request, token);
    if (caller.is === "unknown" && !isSubmission(request, path)) {
      if (!isApi(path) && admit(request, response, token)) return false;
      if (!this.#failures.take()) throw tooMany();
      if (isApi(path) || !wantsPage(request)) throw needsToken();
      request.resume();
      answerStranger(response);
      return false;
    }
    checkWrite(request, caller);
    if (!this.#requests.take() || this.#atOnce - this.#feed.size >= this.#mostAtOnce) throw tooMany();
    return true;
  }
}

/** The one route that an attempt's own token opens; it looks at the token itself. */
function isSubmission({ method, headers }: IncomingMessage, path: string): boolean {
  return method === "POST" && headers.authorization !== undefined && /^\/api\/runs\/[\w-]+\/handoffs$/.test(path);
}

function wantsPage({ headers, method }: IncomingMessage): boolean {
  return method === "GET" && (headers.accept ?? "").includes("text/html");
}

/** What is no HTTP gets a line and nothing else. */
function hangUp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : status;
  socket.end(`HTTP/1.1 ${late}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function listen(server: Server, port: number, mayMove: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" && mayMove) return void listen(server, 0, false).then(resolve, reject);
      const message =
        error.code === "EADDRINUSE"
          ? `Port ${port} is taken.`
          : `The server cannot listen: ${error.code ?? error.message}.`;
      reject(new AppError("cannot-write", message, "Choose another one: baton serve --port 0 takes any that is free."));
    });
    server.once("listening", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
    server.listen(port, HOST);
  });
}
