import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RunItem } from "../../../src/api/answers.ts";
import { RunRow } from "./run-row.tsx";

const ROW_HEIGHT = 57;
/** Rows before the end at which more are asked for. */
const LOAD_BEFORE = 30;

/** Only what is near the screen is in the page: a hundred thousand rows scroll like ten. */
export function RunTable({
  runs,
  total,
  isStale,
  hasMore,
  loadMore,
}: {
  readonly runs: readonly RunItem[];
  readonly total: number;
  readonly isStale: boolean;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: useOffset(body),
    getItemKey: (index) => runs[index]?.run ?? index,
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0];
  const last = rows.at(-1);
  const isNearEnd = hasMore && last !== undefined && last.index >= runs.length - LOAD_BEFORE;
  useEffect(() => {
    if (isNearEnd) loadMore();
  });
  const above = first === undefined ? 0 : first.start - virtual.options.scrollMargin;
  const below = last === undefined ? 0 : virtual.getTotalSize() - (last.end - virtual.options.scrollMargin);
  return (
    <div className={isStale ? "panel run-table-panel run-table-panel--stale" : "panel run-table-panel"}>
      <table className="run-table" role="table" aria-rowcount={total + 1} aria-label="Runs">
        <RunTableHead />
        <tbody ref={body} role="rowgroup">
          <Gap height={above} />
          {rows.map(({ index }) => {
            const item = runs[index];
            return item === undefined ? null : (
              <RunRow key={item.run} item={item} index={index} measure={virtual.measureElement} />
            );
          })}
          <Gap height={below} />
        </tbody>
      </table>
      {hasMore && <p className="run-table__more">Loading more runs</p>}
    </div>
  );
}

/** Roles are told: on narrow screens rows are laid out as cards, and browsers would take them for nothing else. */
function RunTableHead(): ReactNode {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        <th scope="col" role="columnheader" className="run-table__status">
          Status
        </th>
        <th scope="col" role="columnheader">
          Run
        </th>
        <th scope="col" role="columnheader" className="run-table__now">
          Now
        </th>
        <th scope="col" role="columnheader" className="run-table__progress">
          Progress
        </th>
        <th scope="col" role="columnheader" className="run-table__changed">
          Changed
        </th>
      </tr>
    </thead>
  );
}

function Gap({ height }: { readonly height: number }): ReactNode {
  return height <= 0 ? null : (
    <tr aria-hidden="true" className="run-table__gap">
      <td colSpan={5} style={{ height }} />
    </tr>
  );
}

/** Where the rows begin on the page. */
function useOffset(body: React.RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      const place = body.current;
      if (place !== null) setOffset(Math.round(place.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, [body]);
  return offset;
}
