import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { AppError } from "../shared/app-error.ts";
import { type Bindings, buildApp, isApi, refuseRequest } from "./app.ts";
import { boundConnections } from "./connections.ts";
import { checkRequest, checkWrite, findCaller, needsToken } from "./guard.ts";
import type { HandlerContext, RunKeeper } from "./handler.ts";
import { setSecurityHeaders } from "./headers.ts";
import { Bucket, LIMITS, type ServerLimits, tooMany } from "./limits.ts";
import { LiveFeed } from "./live-feed.ts";
import { PageFiles, admit, answerUnknown } from "./page.ts";
import { type Refusal, refusalOf } from "./refusal.ts";

export type { LongWork, McpDoor } from "./handler.ts";

interface ServerOptions extends Omit<HandlerContext, "feed" | "keeper"> {
  readonly keeper: RunKeeper | null;
  /** 0 takes any free port. */
  readonly port: number;
  /** Take any other free port when this one is taken. */
  readonly mayMove?: boolean;
  readonly token: string;
  /** Where the built page is. */
  readonly pageFolder: string;
  /** Others than the usual ones. */
  readonly limits?: Partial<ServerLimits>;
  /** Called with faults of the server. */
  readonly notify: (trouble: unknown) => void;
}

export interface OpenServer {
  readonly port: number;
  /** With the token in it. */
  readonly link: string;
  /** Accepts nothing new, finishes the requests at work, and tells live clients. */
  stop(): Promise<void>;
}

/** Only this machine can reach it. */
const HOST = "127.0.0.1";

export async function openServer(options: ServerOptions): Promise<OpenServer> {
  const feed = new LiveFeed(options.engine.ports);
  const limits: ServerLimits = { ...LIMITS, ...options.limits };
  const entrance = new Entrance(options, feed, limits);
  const server = createServer(
    {
      headersTimeout: limits.headers,
      requestTimeout: limits.wholeRequest,
      keepAliveTimeout: LIMITS.keepAlive,
      connectionsCheckingInterval: Math.min(2_000, limits.headers),
      maxHeaderSize: 16_384,
      noDelay: true,
    },
    (request, response) => entrance.take(request, response),
  );
  boundConnections(server, LIMITS.connections);
  server.on("clientError", (error, socket) => hangUp(error, socket as Socket));
  const port = await listen(server, options.port, options.mayMove === true);
  entrance.open(port);
  return {
    port,
    link: `http://${HOST}:${port}/?token=${options.token}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await feed.stop();
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), MAX_STOP);
      await closed;
      clearTimeout(late);
    },
  };
}

const MAX_STOP = 10_000;

/** Lets requests in: those that pass the guard reach the app. */
class Entrance {
  readonly #options: ServerOptions;
  readonly #listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly #requests: Bucket;
  readonly #failures: Bucket;
  readonly #maxAtOnce: number;
  readonly #feed: LiveFeed;
  #hosts: ReadonlySet<string> = new Set();
  /** Live clients count, too, while they are connected. */
  #atOnce = 0;

  constructor(options: ServerOptions, feed: LiveFeed, { requests, failures, atOnce }: ServerLimits) {
    this.#options = options;
    this.#feed = feed;
    this.#requests = new Bucket(requests);
    this.#failures = new Bucket(failures);
    this.#maxAtOnce = atOnce;
    const app = buildApp({ ...options, feed }, new PageFiles(options.pageFolder), options.notify);
    this.#listener = getRequestListener((request, env) => app.fetch(request, this.#bind(env as Bindings)), {
      overrideGlobalObjects: false,
    });
  }

  open(port: number): void {
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
  }

  /** The caller is found again where the request is answered, from the same headers. */
  #bind(env: Bindings): Bindings {
    const caller = findCaller(env.incoming, this.#options.token);
    return { ...env, caller, refuseUnknown: () => this.#refuseUnknown() };
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    setSecurityHeaders(response);
    try {
      if (!this.#letIn(request, response)) return;
    } catch (error) {
      request.resume();
      refuseRequest(response, refusalOf(error));
      return;
    }
    this.#atOnce++;
    response.once("close", () => this.#atOnce--);
    void this.#listener(request, response);
  }

  /** Wrong tokens are counted. A right one is let in also when there were too many wrong ones. */
  #refuseUnknown(): Refusal {
    return this.#failures.take() ? needsToken() : tooMany();
  }

  /** False when the request was answered here. */
  #letIn(request: IncomingMessage, response: ServerResponse): boolean {
    const { token } = this.#options;
    checkRequest(request, this.#hosts);
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    const caller = findCaller(request, token);
    if (caller.is === "unknown" && !isSubmission(request, path)) {
      if (!isApi(path) && admit(request, response, token)) return false;
      const refusal = this.#refuseUnknown();
      if (refusal.status !== 401 || isApi(path) || !wantsPage(request)) throw refusal;
      request.resume();
      answerUnknown(response);
      return false;
    }
    checkWrite(request, caller);
    if (!this.#requests.take() || this.#atOnce - this.#feed.size >= this.#maxAtOnce) throw tooMany();
    return true;
  }
}

/** The one route that accepts the token of an attempt; it checks the token itself. */
function isSubmission({ method, headers }: IncomingMessage, path: string): boolean {
  return method === "POST" && headers.authorization !== undefined && /^\/api\/runs\/[\w-]+\/handoffs$/.test(path);
}

function wantsPage({ headers, method }: IncomingMessage): boolean {
  return method === "GET" && (headers.accept ?? "").includes("text/html");
}

/** What is not HTTP gets a status line and nothing else. The connection is gone then, also when the client keeps its end. */
function hangUp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : status;
  socket.end(`HTTP/1.1 ${late}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  socket.destroySoon();
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
