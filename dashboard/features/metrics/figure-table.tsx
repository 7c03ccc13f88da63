import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Completion, Figure } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { count, counted, percent, spanOf } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, ScrollTable } from "../../components/table.tsx";
import { When } from "../../components/time.tsx";

const FIGURE_COLUMNS: readonly Column<Figure>[] = [
  { title: "Name", isHead: true, className: "mono", cell: ({ name }) => <AgentText text={name} /> },
  { title: "Kind", className: "soft", cell: ({ kind, unit }) => (unit === null ? kind : `${kind}, ${unit}`) },
  { title: "Told", isNumber: true, cell: (figure) => count(figure.count) },
  { title: "Middle", isNumber: true, cell: middleOf },
  { title: "Least to most", isNumber: true, cell: rangeOf },
  {
    title: "Last",
    cell: ({ last, last_at }) => (
      <>
        <AgentText text={last} lines={2} />{" "}
        <span className="soft">
          <When at={last_at} />
        </span>
      </>
    ),
  },
  { title: "By", className: "soft words", cell: ({ agents }) => agents.join(", ") },
];

/** What handoffs carried as metrics, of any shape, without inventing anything. */
export function FigureTable({
  figures,
  leftOff,
}: {
  readonly figures: readonly Figure[];
  readonly leftOff: number;
}): ReactNode {
  if (figures.length === 0) return null;
  return (
    <Panel title="Figures in handoffs" flush aside={<span className="soft">as agents told them, not checked</span>}>
      <ScrollTable
        label="Figures in handoffs"
        columns={FIGURE_COLUMNS}
        rows={figures}
        keyOf={({ name, kind, unit }) => `${name} ${kind} ${unit ?? ""}`}
      />
      {leftOff > 0 && <p className="metrics__more soft">{counted(leftOff, "more figure")}</p>}
    </Panel>
  );
}

function middleOf(figure: Figure): string {
  if (figure.flags !== null) return `${figure.flags.yes} yes, ${figure.flags.no} no`;
  return figure.spread === null ? "—" : said(figure, figure.spread.median);
}

function rangeOf(figure: Figure): string {
  const { spread } = figure;
  return spread === null ? "—" : `${said(figure, spread.least)} to ${said(figure, spread.most)}`;
}

function said({ kind, unit }: Figure, value: number): string {
  switch (kind) {
    case "duration":
      return spanOf(value);
    case "ratio":
      return percent(value);
    case "percent":
      return `${count(value)} %`;
    case "number":
    case "flag":
    case "text":
      return count(value);
    case "amount":
      return unit === null ? count(value) : `${count(value)} ${unit}`;
  }
}

/** Runs that ended with a summary of their own. */
export function Completions({ completions }: { readonly completions: readonly Completion[] }): ReactNode {
  if (completions.length === 0) return null;
  return (
    <Panel title="Summaries of completed runs" flush>
      <ul className="completions">
        {completions.map((one) => (
          <li key={`${one.run} ${one.at}`}>
            <Link href={links.run(one.run)}>{one.workflow}</Link>{" "}
            <span className="soft">
              <When at={one.at} />
              {one.issue !== null && `, issue ${one.issue}`}
              {one.pull_request !== null && `, pull request ${one.pull_request}`}
            </span>
            {one.summary !== null && (
              <div>
                <AgentText text={one.summary} lines={3} />
              </div>
            )}
            <div className="soft">
              {one.metrics.map(({ name, text }) => (
                <span key={name} className="completions__metric">
                  {name}: <AgentText text={text} />
                </span>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
