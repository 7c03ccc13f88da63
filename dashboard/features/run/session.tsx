import type { ReactNode } from "react";
import { Link } from "wouter";
import type { OtherAgent, RunPage, SessionUsageView } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, stepLook } from "../../components/badge.tsx";
import { count, counted, dollars } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, ScrollTable } from "../../components/table.tsx";
import { Took, When } from "../../components/time.tsx";
import { statusOf } from "./step-status.ts";

type Agent = RunPage["view"]["agents"][number];

/** The agents of a session that owe a handoff. No workflow says in which order they work. */
export function SessionAgents({ page: { item, view, steps } }: { readonly page: RunPage }): ReactNode {
  const isIdle = item.idle_since !== null;
  const last = (name: string): string => {
    const step = steps.findLast(({ agent }) => agent === name);
    return step === undefined ? "not-seen" : statusOf(step, isIdle);
  };
  const accepted = (name: string): number =>
    steps.filter(({ agent, outcome }) => agent === name && outcome !== null).length;
  const columns: readonly Column<Agent>[] = [
    {
      title: "Agent",
      isHead: true,
      cell: ({ name, visits }) =>
        visits === 0 ? (
          name
        ) : (
          <Link replace href={links.run(item.run, { agent: name })}>
            {name}
          </Link>
        ),
    },
    {
      title: "Last",
      cell: ({ name }) => <Badge look={stepLook(last(name))} />,
    },
    { title: "Accepted", isNumber: true, cell: ({ name }) => count(accepted(name)) },
    { title: "Sent back", isNumber: true, cell: ({ refused }) => count(refused) },
  ];
  return (
    <Panel title="Agents that owe a handoff" flush>
      <ScrollTable label="Agents that owe a handoff" columns={columns} rows={view.agents} keyOf={({ name }) => name} />
    </Panel>
  );
}

const OTHER_COLUMNS: readonly Column<OtherAgent>[] = [
  { title: "Agent", isHead: true, cell: ({ agent }) => agent },
  {
    title: "Began",
    cell: ({ started_at: at }) => (at === null ? <span className="soft">not heard of</span> : <When at={at} />),
  },
  {
    title: "Took",
    cell: ({ started_at: from, ended_at: to }) => {
      if (to === null) return <span className="soft">no end heard of</span>;
      return from === null ? <span className="soft">unknown</span> : <Took from={from} to={to} />;
    },
  },
  {
    title: "Tokens",
    isNumber: true,
    cell: ({ tokens, is_part: isPart }) =>
      tokens === null ? <span className="soft">unknown</span> : `${isPart ? "at least " : ""}${count(tokens)}`,
  },
  {
    title: "Changed by its tools",
    cell: ({ files }) =>
      files === null ? (
        <span className="soft">unknown</span>
      ) : files.length === 0 ? (
        <span className="soft">nothing</span>
      ) : (
        <AgentText text={files.join(", ")} lines={2} />
      ),
  },
];

/** Agents that were seen, and of which nothing is checked. */
export function OtherAgents({ others }: { readonly others: readonly OtherAgent[] }): ReactNode {
  return (
    <>
      <p className="steps__filter soft">
        These agents owe no handoff: they are shown, and nothing of them was checked. A command that an agent runs may
        have changed other files.
      </p>
      <ScrollTable label="Agents that owe no handoff" columns={OTHER_COLUMNS} rows={others} keyOf={({ id }) => id} />
    </>
  );
}

/** What is known of the cost of a session: its client's own words, and what its agents have used. */
export function SessionCost({ page }: { readonly page: RunPage }): ReactNode {
  const { client = "", usage = null } = page.view.observed ?? {};
  return (
    <Panel title="Cost">
      <ul className="budget">
        {usage !== null && (
          <CostRow
            word={usage.covers === "session" ? "Whole session" : "Main agent"}
            value={amountsOf(usage)}
            note={`as ${client} counts at its end`}
          />
        )}
        <AgentsCost page={page} />
        {usage === null && <CostRow word="Money" value="unknown" note="the client has not said what it cost" />}
      </ul>
    </Panel>
  );
}

function amountsOf({ tokens, money, is_part: isPart }: SessionUsageView): string {
  const amounts = [
    tokens === null ? "tokens unknown" : `${count(tokens)} tokens`,
    money === null ? "cost unknown" : dollars(money),
  ];
  return `${isPart ? "at least " : ""}${amounts.join(", ")}`;
}

function AgentsCost({ page: { budget, steps } }: { readonly page: RunPage }): ReactNode {
  const { used, unknown } = budget.tokens;
  const attempts = steps.flatMap((step) => step.attempts).filter(({ ended_at: at }) => at !== null).length;
  const of = counted(attempts, "attempt");
  const note = unknown === 0 ? `of ${of}, by the transcript of the client` : `${unknown} of ${of} not known`;
  return (
    <CostRow
      word="Agents that owe"
      value={attempts > unknown ? `${count(used)} tokens` : "tokens unknown"}
      note={attempts === 0 ? "none has stopped yet" : note}
    />
  );
}

function CostRow({
  word,
  value,
  note,
}: {
  readonly word: string;
  readonly value: string;
  readonly note: string;
}): ReactNode {
  return (
    <li className="budget__row">
      <span className="budget__word">{word}</span>
      <span className="budget__value">{value}</span>
      <span className="budget__unknown">{note}</span>
    </li>
  );
}

/** What was otherwise than the workflow has it, and what that would do next. Nothing of it is started. */
export function Deviations({ page: { view } }: { readonly page: RunPage }): ReactNode {
  const { deviations = [], suggestion = null } = view.observed ?? {};
  return (
    <Panel
      title={`Deviations (${deviations.length})`}
      aside={suggestion !== null && <AgentText text={suggestion} lines={2} />}
    >
      {deviations.length === 0 ? (
        <p className="soft">Nothing was otherwise so far.</p>
      ) : (
        <ul className="run-head__remarks">
          {deviations.map(({ agent, says }, index) => (
            <li key={index}>
              <strong>{agent}</strong>: <AgentText text={says} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
