import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Completion, Figure } from "../../../src/views/metrics.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { count, counted, percent, spanOf } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Panel } from "../../components/panel.tsx";
import { When } from "../../components/time.tsx";

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
      <div className="scroll-x" role="group" aria-label="Figures in handoffs" tabIndex={0}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col" className="number">
                Told
              </th>
              <th scope="col" className="number">
                Middle
              </th>
              <th scope="col" className="number">
                Least to most
              </th>
              <th scope="col">Last</th>
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {figures.map((figure) => (
              <FigureRow key={`${figure.name} ${figure.kind} ${figure.unit ?? ""}`} figure={figure} />
            ))}
          </tbody>
        </table>
      </div>
      {leftOff > 0 && <p className="metrics__more soft">{counted(leftOff, "more figure")}</p>}
    </Panel>
  );
}

function FigureRow({ figure }: { readonly figure: Figure }): ReactNode {
  const { spread } = figure;
  return (
    <tr>
      <th scope="row" className="mono">
        <AgentText text={figure.name} />
      </th>
      <td className="soft">{figure.unit === null ? figure.kind : `${figure.kind}, ${figure.unit}`}</td>
      <td className="number">{count(figure.count)}</td>
      <td className="number">{middleOf(figure)}</td>
      <td className="number">
        {spread === null ? "—" : `${said(figure, spread.least)} to ${said(figure, spread.most)}`}
      </td>
      <td>
        <AgentText text={figure.last} lines={2} />{" "}
        <span className="soft">
          <When at={figure.last_at} />
        </span>
      </td>
      <td className="soft words">{figure.agents.join(", ")}</td>
    </tr>
  );
}

function middleOf(figure: Figure): string {
  if (figure.flags !== null) return `${figure.flags.yes} yes, ${figure.flags.no} no`;
  return figure.spread === null ? "—" : said(figure, figure.spread.median);
}

function said({ kind, unit }: Figure, value: number): string {
  if (kind === "duration") return spanOf(value);
  if (kind === "ratio") return percent(value);
  if (kind === "percent") return `${count(value)} %`;
  return unit === null ? count(value) : `${count(value)} ${unit}`;
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
