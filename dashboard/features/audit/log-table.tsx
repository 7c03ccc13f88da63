import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import type { AuditList } from "../../../src/api/answers.ts";
import { useAddressWord } from "../../components/address.ts";
import { exactTime } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { type Column, ScrollTable, drawnPart } from "../../components/table.tsx";
import { useLog } from "./use-log.ts";

type Entry = AuditList["entries"][number];

const ROW_HEIGHT = 33;
const LOAD_BEFORE = 40;

export function LogTable(): ReactNode {
  const [after] = useAddressWord("after");
  const { query, entries, isAtEnd } = useLog(Number(after));
  const { isFetching, fetchNextPage } = query;
  if (query.isPending) return <Loading what="the log" />;
  if (query.error !== null && entries.length === 0)
    return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (entries.length === 0)
    return (
      <Empty icon="audit" title="There is no entry here">
        Every step of a run writes some.
      </Empty>
    );
  return (
    <LogRows
      entries={entries}
      loadMore={() => {
        if (!isAtEnd && !isFetching) void fetchNextPage();
      }}
    />
  );
}

function LogRows({
  entries,
  loadMore,
}: {
  readonly entries: readonly Entry[];
  readonly loadMore: () => void;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 15,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1);
  useEffect(() => {
    if (last !== undefined && last.index >= entries.length - LOAD_BEFORE) loadMore();
  });
  const { rows, ...space } = drawnPart(entries, items, virtual.getTotalSize());
  return (
    <ScrollTable
      label="Entries of the log"
      boxClass="log"
      boxRef={box}
      className="plain-table log__table"
      rowClass="log__row"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ position }) => position}
      window={{ ...space, rowCount: -1, rowIndexOf: ({ position }) => position }}
    />
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: "Position", isNumber: true, cell: ({ position }) => position },
  { title: "Time", className: "soft when", cell: ({ at }) => exactTime(at) },
  {
    title: "Run",
    cell: ({ run, sequence }) => (
      <>
        <Link href={links.run(run, { tab: "timeline" })} className="mono">
          {run}
        </Link>{" "}
        <span className="soft">#{sequence}</span>
      </>
    ),
  },
  {
    title: "Entry",
    isHead: true,
    cell: ({ kind, is_pruned }) => (
      <>
        {kind}
        {is_pruned && <span className="soft"> (content pruned)</span>}
      </>
    ),
  },
  {
    title: "Hash",
    className: "mono soft",
    cell: ({ hash }) => <span title={hash}>{hash.slice(0, 16)}</span>,
  },
];
