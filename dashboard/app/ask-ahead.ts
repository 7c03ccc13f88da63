import type { QueryClient } from "@tanstack/react-query";
import { runQuery } from "../data/queries.ts";

/** What the page of an address will ask for can be on its way while the page is still being made. */
export function askAhead(client: QueryClient, path: string): void {
  const run = /^\/runs\/([^/]+)$/.exec(path)?.[1];
  // What goes wrong is told by the page, which asks for the same.
  if (run !== undefined) client.query(runQuery(decoded(run))).catch(() => undefined);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
