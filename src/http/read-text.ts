import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** The body of a request as text. A body that says it is too long is not read at all; one that does not is cut off. */
export async function readText(request: IncomingMessage, most: number): Promise<string> {
  const length = Number(request.headers["content-length"] ?? 0);
  if (!(length <= most)) throw tooLarge(most);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) throw tooLarge(most);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "malformed", "The body did not arrive whole.", "Send it again.");
  }
  return decode(Buffer.concat(parts));
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal(400, "wrong-encoding", "The body is not UTF-8.", "Send it as UTF-8.");
  }
}

function tooLarge(most: number): Refusal {
  // The rest is not waited for.
  const headers = { connection: "close" };
  return new Refusal(413, "too-large", "The body is too large.", `At most ${most} bytes are read.`, headers);
}
