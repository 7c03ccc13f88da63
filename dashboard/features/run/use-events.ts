import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { EventItem, EventList } from "../../../src/api/answers.ts";
import { part, read } from "../../data/ask-server.ts";
import type { Batch } from "../../data/live-feed.ts";
import { useBatches } from "../../data/live.tsx";

type Pages = InfiniteData<EventList, number>;

const PAGE_SIZE = 1_000;
/** Pages that come by themselves; more of them when asked. */
const AT_ONCE = 10;

/** The events of a run; live ones are appended, and whatever was missed is asked for. */
export function useEvents(run: string) {
  const queryKey = useMemo(() => ["run", run, "events"], [run]);
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      read<EventList>(`runs/${part(run)}/events`, { after: pageParam, limit: PAGE_SIZE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last: EventList) => last.next ?? undefined,
  });
  const { hasNextPage, isFetching, fetchNextPage, data } = query;
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && pages < AT_ONCE) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, pages]);
  useAppended(run, queryKey);
  const events = useMemo(() => data?.pages.flatMap((page) => page.events) ?? [], [data]);
  return { query, events };
}

function useAppended(run: string, queryKey: readonly string[]): void {
  const client = useQueryClient();
  const reader = useMemo(
    () =>
      ({ entries, wasCut }: Batch): void => {
        const held = client.getQueryData<Pages>(queryKey);
        const page = held?.pages.at(-1);
        if (held === undefined || page === undefined || page.next !== null) return;
        const last = page.events.at(-1)?.sequence ?? 0;
        const own = entries.filter((entry) => entry.run === run && entry.sequence > last);
        if (own.length === 0 && !wasCut) return;
        if (wasCut || !follows(last, own)) void catchUp(client, run, last);
        else client.setQueryData<Pages>(queryKey, appended(held, own));
      },
    [client, queryKey, run],
  );
  useBatches(reader);
}

/** Asks for what was missed. */
async function catchUp(client: QueryClient, run: string, after: number): Promise<void> {
  const { events } = await read<EventList>(`runs/${part(run)}/events`, { after, limit: PAGE_SIZE });
  client.setQueryData<Pages>(["run", run, "events"], (old) => (old === undefined ? old : appended(old, events)));
}

/** Without a gap. */
function follows(last: number, entries: readonly EventItem[]): boolean {
  return entries.every(({ sequence }, index) => sequence === last + 1 + index);
}

function appended(held: Pages, entries: readonly EventItem[]): Pages {
  const page = held.pages.at(-1);
  if (page === undefined) return held;
  const last = page.events.at(-1)?.sequence ?? 0;
  const fresh = entries.filter(({ sequence }) => sequence > last);
  return { ...held, pages: [...held.pages.slice(0, -1), { ...page, events: [...page.events, ...fresh] }] };
}
