import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import type { AuditList } from "../../../src/api/answers.ts";
import { useAddressWord } from "../../components/address.ts";
import { exactTime } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Empty, Loading, Problem } from "../../components/states.tsx";
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
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1);
  useEffect(() => {
    if (last !== undefined && last.index >= entries.length - LOAD_BEFORE) loadMore();
  });
  return (
    <div className="log scroll-x" ref={box} role="group" aria-label="Entries of the log" tabIndex={0}>
      <table className="plain-table log__table" aria-rowcount={-1}>
        <thead>
          <tr>
            <th scope="col" className="number">
              Position
            </th>
            <th scope="col">Time</th>
            <th scope="col">Run</th>
            <th scope="col">Entry</th>
            <th scope="col">Hash</th>
          </tr>
        </thead>
        <tbody>
          <Gap height={rows[0]?.start ?? 0} />
          {rows.map(({ index }) => {
            const entry = entries[index];
            return entry === undefined ? null : <LogRow key={entry.position} entry={entry} />;
          })}
          <Gap height={virtual.getTotalSize() - (last?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  );
}

function Gap({ height }: { readonly height: number }): ReactNode {
  return height <= 0 ? null : (
    <tr aria-hidden="true">
      <td colSpan={5} className="log__gap" style={{ height }} />
    </tr>
  );
}

function LogRow({ entry }: { readonly entry: Entry }): ReactNode {
  return (
    <tr className="log__row" aria-rowindex={entry.position}>
      <td className="number">{entry.position}</td>
      <td className="soft when">{exactTime(entry.at)}</td>
      <td>
        <Link href={links.run(entry.run, { tab: "timeline" })} className="mono">
          {entry.run}
        </Link>{" "}
        <span className="soft">#{entry.sequence}</span>
      </td>
      <th scope="row">
        {entry.kind}
        {entry.is_pruned && <span className="soft"> (content pruned)</span>}
      </th>
      <td className="mono soft" title={entry.hash}>
        {entry.hash.slice(0, 16)}
      </td>
    </tr>
  );
}
