import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { keepFresh } from "./keep-fresh.ts";
import { type Batch, type LineState, LiveFeed } from "./live-feed.ts";

const Feed = createContext<LiveFeed | null>(null);

/** One line for the whole page. */
export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [feed] = useState(() => new LiveFeed("/api/events"));
  const client: QueryClient = useQueryClient();
  useEffect(() => {
    const forget = feed.read(keepFresh(client));
    const stop = feed.start();
    return () => {
      stop();
      forget();
    };
  }, [feed, client]);
  return <Feed value={feed}>{children}</Feed>;
}

function useFeed(): LiveFeed {
  const feed = useContext(Feed);
  if (feed === null) throw new Error("There is no live line outside of LiveProvider.");
  return feed;
}

export function useLineState(): LineState {
  const feed = useFeed();
  return useSyncExternalStore(feed.watch, () => feed.state);
}

/** `reader` must be the same function as long as nothing changed for it. */
export function useBatches(reader: (batch: Batch) => void): void {
  const feed = useFeed();
  useEffect(() => feed.read(reader), [feed, reader]);
}
