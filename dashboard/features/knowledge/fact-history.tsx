import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FactPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { links } from "../../components/links.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, ScrollTable } from "../../components/table.tsx";
import { When } from "../../components/time.tsx";

type Source = FactPage["fact"]["witnesses"][number];
type Change = FactPage["history"][number];

const WITNESS_COLUMNS: readonly Column<Source>[] = [
  { title: "Agent", isHead: true, cell: ({ agent }) => agent },
  { title: "Run", cell: ({ run, step }) => <Link href={links.run(run, { step })}>{run}</Link> },
  { title: "Where", className: "mono", cell: ({ where }) => where },
  { title: "When", className: "soft", cell: ({ at }) => <When at={at} /> },
];

/** The agents that said it. */
export function Witnesses({ witnesses }: { readonly witnesses: readonly Source[] }): ReactNode {
  return (
    <Panel title="Said by" flush>
      <ScrollTable
        label="Witnesses"
        columns={WITNESS_COLUMNS}
        rows={witnesses}
        keyOf={({ run, step, where, handoff }) => `${run} ${step} ${where} ${handoff}`}
      />
    </Panel>
  );
}

const HISTORY_COLUMNS: readonly Column<Change>[] = [
  { title: "When", className: "soft", cell: ({ at }) => <When at={at} /> },
  {
    title: "What",
    isHead: true,
    cell: ({ what, other }) => (
      <>
        {what}
        {other !== null && (
          <>
            {" "}
            <span className="mono">{other}</span>
          </>
        )}
      </>
    ),
  },
  { title: "By", cell: ({ by }) => by },
  { title: "Why", cell: ({ why }) => (why === null ? "—" : <AgentText text={why} />) },
];

/** What happened to the fact. Entries are only ever added. */
export function FactHistory({ page: { history } }: { readonly page: FactPage }): ReactNode {
  return (
    <Panel title="History" flush>
      <ScrollTable
        label="History"
        columns={HISTORY_COLUMNS}
        rows={history}
        keyOf={({ at, what, by }) => `${at} ${what} ${by}`}
      />
    </Panel>
  );
}
