import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { RunItem, RunList } from "../../../src/api/answers.ts";
import { read } from "../../data/ask-server.ts";
import { throttled } from "../../data/keep-fresh.ts";
import type { Batch } from "../../data/live-feed.ts";
import { useBatches } from "../../data/live.tsx";
import { sinceOf } from "../../components/periods.ts";

export interface RunFilter {
  readonly status: string;
  readonly text: string;
  readonly workflow: string;
  readonly period: string;
}

type Pages = InfiniteData<RunList, string>;

const PAGE_SIZE = 100;
const REFRESH_EVERY = 1_000;
/** Pages that are asked for again at once; what lies further down waits until it is scrolled to. */
const MAX_REFRESHED = 4;

/** Runs, page after page, kept fresh where something changed. */
export function useRuns(filter: RunFilter) {
  const query = useInfiniteQuery({
    queryKey: ["runs", filter],
    queryFn: async ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (last: RunList) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });
  useFreshPages(filter);
  const runs = useMemo(() => eachOnce(query.data?.pages ?? []), [query.data]);
  return { query, runs, newest: query.data?.pages[0] };
}

async function readPage(filter: RunFilter, cursor: string, signal?: AbortSignal): Promise<RunList> {
  const { period, ...words } = filter;
  return read<RunList>("runs", { ...words, since: sinceOf(period), cursor, limit: PAGE_SIZE }, signal);
}

/** A run that moved to the front may still stand on a later page. */
function eachOnce(pages: readonly RunList[]): RunItem[] {
  const runs = new Map<string, RunItem>();
  for (const page of pages) for (const item of page.runs) if (!runs.has(item.run)) runs.set(item.run, item);
  return [...runs.values()];
}

function useFreshPages(filter: RunFilter): void {
  const client = useQueryClient();
  const reader = useMemo(() => {
    const changed = new Set<string>();
    const refresh = throttled(() => {
      const runs = new Set(changed);
      changed.clear();
      void refreshPages(client, filter, runs).catch(() => undefined);
    }, REFRESH_EVERY);
    return ({ runs, wasCut }: Batch): void => {
      if (wasCut) return startAgain(client, filter);
      for (const run of runs) changed.add(run);
      refresh();
    };
  }, [client, filter]);
  useBatches(reader);
}

function startAgain(client: QueryClient, filter: RunFilter): void {
  const queryKey = ["runs", filter];
  client.setQueryData<Pages>(queryKey, (old) =>
    old === undefined ? old : { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
  );
  void client.invalidateQueries({ queryKey });
}

async function refreshPages(client: QueryClient, filter: RunFilter, runs: ReadonlySet<string>): Promise<void> {
  const queryKey = ["runs", filter];
  const held = client.getQueryData<Pages>(queryKey);
  if (held === undefined) return;
  const touched = held.pages
    .flatMap((page, index) => (index === 0 || page.runs.some(({ run }) => runs.has(run)) ? [index] : []))
    .slice(0, MAX_REFRESHED);
  const fresh = new Map(
    await Promise.all(
      touched.map(async (index) => [index, await readPage(filter, held.pageParams[index] ?? "")] as const),
    ),
  );
  client.setQueryData<Pages>(queryKey, (old) =>
    old === undefined ? old : { ...old, pages: old.pages.map((page, at) => merged(page, fresh.get(at), runs)) },
  );
}

/** The next page begins where the old one ended: what a new run pushed out of this page stays on it. */
function merged(old: RunList, fresh: RunList | undefined, changed: ReadonlySet<string>): RunList {
  if (fresh === undefined) return old;
  const there = new Set(fresh.runs.map(({ run }) => run));
  const pushedOut = old.runs.filter(({ run }) => !there.has(run) && !changed.has(run));
  return { ...fresh, next: pushedOut.length > 0 ? old.next : fresh.next, runs: [...fresh.runs, ...pushedOut] };
}
