import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { RunItem } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, runLook } from "../../components/badge.tsx";
import { count, counted } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { type Column, Table, drawnPart } from "../../components/table.tsx";
import { When } from "../../components/time.tsx";

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
  const items = virtual.getVirtualItems();
  const last = items.at(-1);
  const isNearEnd = hasMore && last !== undefined && last.index >= runs.length - LOAD_BEFORE;
  useEffect(() => {
    if (isNearEnd) loadMore();
  });
  const { rows, ...space } = drawnPart(runs, items, virtual.getTotalSize(), virtual.options.scrollMargin);
  return (
    <div className={isStale ? "panel run-table-panel run-table-panel--stale" : "panel run-table-panel"}>
      <Table
        label="Runs"
        className="run-table"
        rowClass="run-row"
        columns={RUN_COLUMNS}
        rows={rows}
        keyOf={({ run }) => run}
        bodyRef={body}
        window={{
          ...space,
          rowCount: total + 1,
          rowIndexOf: (_run, index) => index + 2,
          measure: virtual.measureElement,
        }}
      />
      {hasMore && <p className="run-table__more">Loading more runs</p>}
    </div>
  );
}

const RUN_COLUMNS: readonly Column<RunItem>[] = [
  {
    title: "Status",
    titleClass: "run-table__status",
    className: "run-row__status",
    cell: (item) => <Badge look={runLook(item, item.remarks.unchecked > 0)} />,
  },
  { title: "Run", isHead: true, className: "run-row__run", cell: (item) => <Name item={item} /> },
  {
    title: "Now",
    titleClass: "run-table__now",
    className: "run-row__now",
    cell: (item) => <Now item={item} />,
  },
  {
    title: "Progress",
    titleClass: "run-table__progress",
    className: "run-row__progress",
    cell: (item) => <Progress item={item} />,
  },
  {
    title: "Changed",
    titleClass: "run-table__changed",
    className: "run-row__changed soft",
    cell: (item) => <When at={item.updated_at} />,
  },
];

function Name({ item }: { readonly item: RunItem }): ReactNode {
  return (
    <>
      <Link href={links.run(item.run)} className="run-row__link">
        {item.brief.trim() === "" ? item.workflow : <AgentText text={item.brief} lines={1} />}
      </Link>
      <span className="run-row__id">
        {item.is_observed && "watched, "}
        {item.workflow} <span className="mono">{item.run}</span>
      </span>
    </>
  );
}

function Now({ item }: { readonly item: RunItem }): ReactNode {
  if (item.asks > 0) return <span className="ink--person">{counted(item.asks, "question")} for you</span>;
  if (item.idle_since !== null)
    return (
      <span className="soft">
        no sign since <When at={item.idle_since} />
      </span>
    );
  if (item.agents.length > 0) return <AgentText text={item.agents.join(", ")} lines={1} />;
  if (item.status === "watched" && item.failed_agents.length > 0)
    return <AgentText text={`no valid handoff of ${item.failed_agents.join(", ")}`} lines={2} />;
  if (item.reason !== null) return <AgentText text={item.reason} lines={2} />;
  if (item.status === "running" && !item.is_driven) return <span className="soft">no process drives it</span>;
  return <span className="soft">—</span>;
}

function Progress({ item }: { readonly item: RunItem }): ReactNode {
  if (item.is_observed)
    return item.tasks === 0 ? (
      <span className="soft">no agent handed over</span>
    ) : (
      `${count(item.tasks_done)} of ${count(item.tasks)} handed over`
    );
  const parts = [
    ...(item.tasks > 1 ? [`${item.tasks_done} of ${counted(item.tasks, "task")}`] : []),
    counted(item.steps, "step"),
    ...(item.iteration > 1 ? [`round ${item.iteration}`] : []),
  ];
  return (
    <>
      {parts.join(", ")}
      {item.open_issues > 0 && <span className="run-row__issues">{counted(item.open_issues, "open issue")}</span>}
    </>
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
    // What stands above the rows may come later.
    const moved = new ResizeObserver(measure);
    moved.observe(document.body);
    return () => {
      window.removeEventListener("resize", measure);
      moved.disconnect();
    };
  }, [body]);
  return offset;
}
