import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Bounds the connections of a server. When there are too many, the one that has waited longest without a request is
 * closed, so that connections that send nothing, or half a request, keep nobody out.
 */
export function boundConnections(server: Server, max: number): void {
  const waiting = new Set<Socket>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count++;
    waiting.add(socket);
    socket.once("close", () => {
      count--;
      waiting.delete(socket);
    });
    if (count > max) (first(waiting) ?? socket).destroy();
  });
  server.on("request", ({ socket }, response) => {
    waiting.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) waiting.add(socket);
    });
  });
}

function first(sockets: ReadonlySet<Socket>): Socket | undefined {
  return sockets.values().next().value;
}
