import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { AuditList } from "../../../src/api/answers.ts";
import { read } from "../../data/ask-server.ts";
import type { Batch } from "../../data/live-feed.ts";
import { useBatches } from "../../data/live.tsx";

const PAGE_SIZE = 200;

/** The log from a position on; at its end it waits for more. */
export function useLog(after: number) {
  const query = useInfiniteQuery({
    queryKey: ["audit", after],
    queryFn: async ({ pageParam, signal }) => read<AuditList>("audit", { after: pageParam, limit: PAGE_SIZE }, signal),
    initialPageParam: after,
    // The last page has no next one yet: after its last entry there may be more later.
    getNextPageParam: (last: AuditList, _pages, start: number) => last.next ?? last.entries.at(-1)?.position ?? start,
  });
  const { data, isFetching, fetchNextPage } = query;
  const isAtEnd = data?.pages.at(-1)?.next === null;
  const reader = useMemo(
    () =>
      (_batch: Batch): void => {
        if (isAtEnd && !isFetching) void fetchNextPage();
      },
    [isAtEnd, isFetching, fetchNextPage],
  );
  useBatches(reader);
  const entries = useMemo(() => data?.pages.flatMap((page) => page.entries) ?? [], [data]);
  return { query, entries, isAtEnd };
}
