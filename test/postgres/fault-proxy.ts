import { connect, createServer, type Server, type Socket } from "node:net";

/** Stands between a program and Postgres, and does what networks do. */
export interface FaultProxy {
  /** The same address through the proxy. */
  readonly url: string;
  /** Passes on the next `COMMIT`, and cuts the connection when it is answered: the program never sees the answer. */
  loseNextCommit(): void;
  /** Passes nothing on, and closes nothing: a network that is gone. */
  freeze(): void;
  /** Passes everything on after this many milliseconds; 0 to end it. */
  delay(time: number): void;
  /** What was held is lost; new connections work again. */
  heal(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(url: string): Promise<FaultProxy> {
  const target = new URL(url);
  const proxy = new Proxying(Number(target.port));
  target.port = `${await proxy.listen()}`;
  return Object.assign(proxy, { url: target.href });
}

class Proxying {
  readonly #port: number;
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly program: Socket; readonly server: Socket }>();
  #losesCommit = false;
  #isFrozen = false;
  #delay = 0;

  constructor(port: number) {
    this.#port = port;
    this.#server = createServer((program) => this.#take(program));
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  }

  loseNextCommit(): void {
    this.#losesCommit = true;
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  delay(time: number): void {
    this.#delay = time;
  }

  heal(): void {
    this.#isFrozen = false;
    for (const pair of this.#pairs) cut(pair);
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) cut(pair);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(program: Socket): void {
    const server = connect(this.#port, "127.0.0.1");
    const pair = { program, server };
    let losesAnswer = false;
    this.#pairs.add(pair);
    for (const socket of [program, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => cut(pair));
      socket.on("close", () => {
        cut(pair);
        this.#pairs.delete(pair);
      });
    }
    program.on("data", (chunk: Buffer) => {
      if (this.#isFrozen) return;
      if (this.#losesCommit && chunk.includes("COMMIT")) {
        this.#losesCommit = false;
        losesAnswer = true;
      }
      this.#pass(server, chunk);
    });
    server.on("data", (chunk: Buffer) => {
      if (this.#isFrozen) return;
      if (losesAnswer) cut(pair);
      else this.#pass(program, chunk);
    });
  }

  /** A timer of the same time keeps the order. */
  #pass(to: Socket, chunk: Buffer): void {
    const write = (): void => void (to.destroyed || to.write(chunk));
    if (this.#delay === 0) write();
    else setTimeout(write, this.#delay);
  }
}

function cut({ program, server }: { readonly program: Socket; readonly server: Socket }): void {
  program.destroy();
  server.destroy();
}
