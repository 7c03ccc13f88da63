import type { QueryClient } from "@tanstack/react-query";
import { runQuery } from "../data/queries.ts";

/** What the page of an address will ask for can be on its way while the page is still being made. */
export function askAhead(client: QueryClient, path: string): void {
  const run = /^\/runs\/([^/]+)$/.exec(path)?.[1];
  if (run !== undefined) void client.prefetchQuery(runQuery(decoded(run)));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
