import "./runs.css";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { RunList } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { HookNotices } from "../../components/hook-notices.tsx";
import { counted } from "../../components/format.ts";
import { PageHead } from "../../components/panel.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { useTitle } from "../../components/title.ts";
import { hooksQuery } from "../../data/queries.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunTable } from "./run-table.tsx";
import { Schedules } from "./schedules.tsx";
import { type RunFilter, useRuns } from "./use-runs.ts";

/** What runs now, what waits for a person, what stalled, what has ended. */
export function RunsPage(): ReactNode {
  useTitle("Runs");
  const [words] = useAddressWords();
  const text = words.toString();
  const filter: RunFilter = useMemo(() => filterOf(new URLSearchParams(text)), [text]);
  const { query, runs, newest } = useRuns(filter);
  const hooks = useQuery(hooksQuery);
  return (
    <>
      <PageHead title="Runs" />
      <HookNotices status={hooks.data} />
      <Schedules />
      <RunFilters filter={filter} list={newest} />
      {query.error !== null && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="runs" rows={10} />}
      {newest !== undefined && (
        <>
          <p className="visually-hidden" role="status">
            {counted(matching(newest, filter), "run")}
          </p>
          {runs.length === 0 ? (
            <NoRuns isFiltered={text !== ""} />
          ) : (
            <RunTable
              runs={runs}
              total={matching(newest, filter)}
              isStale={query.isPlaceholderData}
              hasMore={query.hasNextPage}
              loadMore={() => {
                if (!query.isFetchingNextPage) void query.fetchNextPage();
              }}
            />
          )}
        </>
      )}
    </>
  );
}

function filterOf(words: URLSearchParams): RunFilter {
  const word = (name: string): string => words.get(name) ?? "";
  return { status: word("status"), text: word("text"), workflow: word("workflow"), period: word("period") };
}

/** How many there are in all; the list itself comes page by page. */
function matching({ counts }: RunList, { status }: RunFilter): number {
  const chosen = new Set(status.split(",").filter((word) => word !== ""));
  return Object.entries(counts).reduce(
    (sum, [word, number]) => (chosen.size === 0 || chosen.has(word) ? sum + number : sum),
    0,
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <div className="panel">
      {isFiltered ? (
        <Empty icon="search" title="No run fits these filters">
          Take one away, or look for fewer words.
        </Empty>
      ) : (
        <Empty icon="runs" title="Nothing has run here yet">
          Start a workflow in this repository with <code>baton run</code>; it shows here at once.{" "}
          <code>baton init</code> writes a workflow file to begin with.
        </Empty>
      )}
    </div>
  );
}
