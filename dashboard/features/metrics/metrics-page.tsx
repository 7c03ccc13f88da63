import "./metrics.css";
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { Metrics } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { PageHead } from "../../components/panel.tsx";
import { PERIODS, sinceOf } from "../../components/periods.ts";
import { Answer, Empty } from "../../components/states.tsx";
import { useTitle } from "../../components/title.ts";
import { metricsQuery } from "../../data/queries.ts";
import { AgentTable, WorkflowTable } from "./measure-tables.tsx";
import { Completions, FigureTable } from "./figure-table.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { MetricCharts } from "./metric-charts.tsx";

/** How the work goes: by workflow, by agent, by period. Nothing is guessed: a figure that was not reported is unknown. */
export function MetricsPage(): ReactNode {
  useTitle("Metrics");
  const [words] = useAddressWords();
  const [period, workflow, agent] = ["period", "workflow", "agent"].map((name) => words.get(name) ?? "");
  const filter = useMemo(
    () => ({ period: period ?? "", workflow: workflow ?? "", agent: agent ?? "" }),
    [period, workflow, agent],
  );
  const query = useQuery(metricsQuery(filter, () => sinceOf(filter.period)));
  return (
    <>
      <PageHead title="Metrics" />
      <MetricFilters filter={filter} metrics={query.data} />
      <Answer of={query} what="the metrics">
        {(metrics) => (
          <MetricContent metrics={metrics} isFiltered={Object.values(filter).some((value) => value !== "")} />
        )}
      </Answer>
    </>
  );
}

function NoFigures({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <div className="panel">
      {isFiltered ? (
        <Empty icon="metrics" title="No run fits">
          Choose a longer period, another workflow or another agent.
        </Empty>
      ) : (
        <Empty icon="metrics" title="Nothing has run here yet">
          Figures come with the first run: start one with <code>baton run</code>.
        </Empty>
      )}
    </div>
  );
}

function MetricContent({
  metrics,
  isFiltered,
}: {
  readonly metrics: Metrics;
  readonly isFiltered: boolean;
}): ReactNode {
  if (metrics.runs === 0) return <NoFigures isFiltered={isFiltered} />;
  return (
    <div className="stack">
      <KeyFigures metrics={metrics} />
      <MetricCharts metrics={metrics} />
      <WorkflowTable workflows={metrics.workflows} />
      <AgentTable agents={metrics.agents} />
      <FigureTable figures={metrics.figures} leftOff={metrics.left_off.figures} />
      <Completions completions={metrics.completions} />
    </div>
  );
}

function MetricFilters({
  filter,
  metrics,
}: {
  readonly filter: { readonly period: string; readonly workflow: string; readonly agent: string };
  readonly metrics: Metrics | undefined;
}): ReactNode {
  const [, change] = useAddressWords();
  const workflows = namesWith(
    metrics?.workflows.map((one) => one.workflow),
    filter.workflow,
  );
  const agents = namesWith(
    metrics?.agents.map((one) => one.agent),
    filter.agent,
  );
  return (
    <search className="filters metrics__filters">
      <NativeSelect
        label="Period"
        value={filter.period}
        onChange={(event) => change({ period: event.currentTarget.value })}
        data={PERIODS.map(({ value, label }) => ({ value, label }))}
      />
      <NativeSelect
        label="Workflow"
        value={filter.workflow}
        onChange={(event) => change({ workflow: event.currentTarget.value })}
        data={[{ value: "", label: "All workflows" }, ...workflows]}
      />
      <NativeSelect
        label="Agent"
        value={filter.agent}
        onChange={(event) => change({ agent: event.currentTarget.value })}
        data={[{ value: "", label: "All agents" }, ...agents]}
      />
    </search>
  );
}

/** What is chosen can be seen even when nothing of it is left. */
function namesWith(names: readonly string[] | undefined, chosen: string): { value: string; label: string }[] {
  const all = new Set([...(names ?? []), ...(chosen === "" ? [] : [chosen])]);
  return [...all].toSorted().map((name) => ({ value: name, label: name }));
}
