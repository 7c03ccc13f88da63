import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpServerFactory } from "./build-server.ts";

/** A message holds at most one handoff of 1 MiB, whose characters may all be escaped. */
const MAX_MESSAGE = 8 * 1024 * 1024;

interface Stdio {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the server; without it the end of the input does. */
  readonly until: AbortSignal;
  readonly notify: (trouble: string) => void;
}

/** Serves one client over standard input and output. Resolves when the client has gone. */
export async function serveOverStdio(
  factory: McpServerFactory,
  { input, output, until, notify }: Stdio,
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE });
  const gone = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
    output.once("error", () => resolve());
    until.addEventListener("abort", () => resolve(), { once: true });
    if (until.aborted) resolve();
  });
  const handle = serveStdio(factory, { transport, onerror: ({ message }) => notify(message) });
  await gone;
  await handle.close();
}
