import { memo, type ReactNode } from "react";
import { Link } from "wouter";
import type { RunItem } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, RUN_LOOKS } from "../../components/badge.tsx";
import { counted } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { When } from "../../components/time.tsx";

export const RunRow = memo(function RunRow({
  item,
  index,
  measure,
}: {
  readonly item: RunItem;
  readonly index: number;
  readonly measure: (row: HTMLTableRowElement | null) => void;
}): ReactNode {
  return (
    <tr ref={measure} role="row" data-index={index} aria-rowindex={index + 2} className="run-row">
      <td role="cell" className="run-row__status">
        <Badge look={RUN_LOOKS[item.status]} />
      </td>
      <th scope="row" role="rowheader" className="run-row__run">
        <Link href={links.run(item.run)} className="run-row__link">
          {item.brief.trim() === "" ? item.workflow : <AgentText text={item.brief} lines={1} />}
        </Link>
        <span className="run-row__id">
          {item.workflow} <span className="mono">{item.run}</span>
        </span>
      </th>
      <td role="cell" className="run-row__now">
        <Now item={item} />
      </td>
      <td role="cell" className="run-row__progress">
        <Progress item={item} />
      </td>
      <td role="cell" className="run-row__changed soft">
        <When at={item.updated_at} />
      </td>
    </tr>
  );
});

function Now({ item }: { readonly item: RunItem }): ReactNode {
  if (item.asks > 0) return <span className="ink--person">{counted(item.asks, "question")} for you</span>;
  if (item.agents.length > 0) return <AgentText text={item.agents.join(", ")} lines={1} />;
  if (item.reason !== null) return <AgentText text={item.reason} lines={2} />;
  if (item.status === "running" && !item.is_driven) return <span className="soft">no process drives it</span>;
  return <span className="soft">—</span>;
}

function Progress({ item }: { readonly item: RunItem }): ReactNode {
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
