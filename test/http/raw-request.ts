import { type Socket, connect } from "node:net";

interface RawAnswer {
  /** 0 when the server hung up without a word. */
  readonly status: number;
  readonly text: string;
}

/** Bytes as they are given, over a connection of their own: no client mends them on the way. */
export function sendRaw(port: number, bytes: string | Buffer, patience = 5_000): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket: Socket = connect(port, "127.0.0.1");
    const done = (): void => {
      socket.destroy();
      const text = Buffer.concat(parts).toString("latin1");
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    const timer = setTimeout(done, patience);
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      if (isWhole(Buffer.concat(parts).toString("latin1"))) socket.end();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      done();
    });
    socket.write(bytes);
  });
}

/** The end of the first answer is there. */
function isWhole(text: string): boolean {
  const at = text.indexOf("\r\n\r\n");
  if (at < 0) return false;
  const head = text.slice(0, at).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return text.length >= at + 4 + Number(length);
  return head.includes("transfer-encoding: chunked") ? text.endsWith("0\r\n\r\n") : false;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Buffer;
}

export function printRequest({ method, path, headers, body }: RawRequest): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), "", ""];
  return Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), Buffer.from(body as string)]);
}
