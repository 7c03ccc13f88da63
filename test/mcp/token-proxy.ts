import { type IncomingHttpHeaders, type Server, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The conformance suite and the inspector's older clients send no token: this adds it, and nothing else. A request that
 * names this proxy names the server behind it; every other Host and Origin comes through as it is.
 */
export async function openTokenProxy(port: number, token: string): Promise<{ url: string; close(): void }> {
  const proxy: Server = createServer((from, to) => {
    const own = (proxy.address() as AddressInfo).port;
    const headers = forwarded(from.headers, own, port);
    const path = from.url ?? "/";
    const through = request(
      { host: "127.0.0.1", port, method: from.method, path, headers: { ...headers, authorization: `Bearer ${token}` } },
      (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
      },
    );
    through.on("error", () => to.destroy());
    to.on("close", () => through.destroy());
    from.pipe(through);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: own } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

function forwarded(headers: IncomingHttpHeaders, own: number, port: number): IncomingHttpHeaders {
  const renamed = (text: string): string =>
    text.replace(new RegExp(`^((?:http://)?(?:127\\.0\\.0\\.1|localhost)):${own}$`), `$1:${port}`);
  const { host, origin } = headers;
  return {
    ...headers,
    ...(host !== undefined && { host: renamed(host) }),
    ...(origin !== undefined && { origin: renamed(origin) }),
  };
}
