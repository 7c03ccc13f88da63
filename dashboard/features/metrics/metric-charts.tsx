import { type ReactNode, Suspense } from "react";
import type { CoveragePoint, Metrics } from "../../../src/api/answers.ts";
import type { Series } from "../../components/chart.tsx";
import { dollars, short, spanOf } from "../../components/format.ts";
import { OnePoint } from "../../components/one-point.tsx";
import { Panel } from "../../components/panel.tsx";
import { part } from "../../components/part.ts";
import { Empty, Loading } from "../../components/states.tsx";

const Chart = part(async () => (await import("../../components/chart.tsx")).Chart);

const WORDS = { hour: "by hour", day: "by day", week: "by week", month: "by month" } as const;

type Period = Metrics["periods"][number];

interface Chosen {
  readonly title: string;
  readonly series: (periods: readonly Period[]) => Series[];
  readonly text: (value: number) => string;
}

function line(label: string, meaning: Series["meaning"], values: (number | null)[]): Series {
  return { label, meaning, values, kind: "line" };
}

const CHARTS: readonly Chosen[] = [
  {
    title: "Runs",
    series: (periods) => [
      line(
        "Completed",
        "good",
        periods.map(({ statuses }) => statuses.completed),
      ),
      line(
        "Failed",
        "bad",
        periods.map(({ statuses }) => statuses.failed),
      ),
      line(
        "Cancelled",
        "plain",
        periods.map(({ statuses }) => statuses.cancelled),
      ),
      line(
        "Open",
        "active",
        periods.map(({ statuses }) => statuses.running + statuses.watched + statuses.waiting),
      ),
    ],
    text: short,
  },
  {
    title: "Cycle time",
    series: (periods) => [
      line(
        "Median",
        "active",
        periods.map(({ cycle_time }) => cycle_time?.median ?? null),
      ),
      line(
        "Nine in ten within",
        "plain",
        periods.map(({ cycle_time }) => cycle_time?.p90 ?? null),
      ),
    ],
    text: spanOf,
  },
  {
    title: "Claims",
    series: (periods) => [
      line(
        "Confirmed",
        "good",
        periods.map(({ claims }) => claims.confirmed),
      ),
      line(
        "Refuted",
        "bad",
        periods.map(({ claims }) => claims.refuted),
      ),
      line(
        "Unverifiable",
        "plain",
        periods.map(({ claims }) => claims.unverifiable),
      ),
    ],
    text: short,
  },
  {
    title: "Work done again",
    series: (periods) => [
      line(
        "Loops",
        "warning",
        periods.map(({ loops }) => loops),
      ),
      line(
        "Retries",
        "bad",
        periods.map(({ retries }) => retries),
      ),
      line(
        "Repairs of handoffs",
        "plain",
        periods.map(({ repairs }) => repairs),
      ),
    ],
    text: short,
  },
  {
    title: "Tokens",
    series: (periods) => [
      line(
        "Tokens",
        "active",
        periods.map(({ tokens }) => tokens.sum),
      ),
    ],
    text: short,
  },
  {
    title: "Cost",
    series: (periods) => [
      line(
        "Cost",
        "person",
        periods.map(({ money }) => money.sum),
      ),
    ],
    text: dollars,
  },
];

export function MetricCharts({ metrics }: { readonly metrics: Metrics }): ReactNode {
  const { periods, every } = metrics;
  return (
    <div className="grid-2 grid-2--filled">
      {CHARTS.map(({ title, series, text }) => (
        <Panel key={title} title={title} aside={<span className="soft">{WORDS[every]}</span>}>
          <Figures label={title} times={periods.map(({ from }) => from)} series={series(periods)} text={text} />
        </Panel>
      ))}
      <Panel title="Coverage" aside={<span className="soft">percent, as claimed and as measured</span>}>
        <Coverage points={metrics.coverage} />
      </Panel>
    </div>
  );
}

function Figures({
  label,
  times,
  series,
  text,
}: {
  readonly label: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
}): ReactNode {
  if (series.every(({ values }) => values.every((value) => value === null))) {
    return <Empty title="Unknown">No such figure was reported in this time.</Empty>;
  }
  if (times.length < 2) return <OnePoint series={series} text={text} />;
  return (
    <Suspense fallback={<Loading what="the chart" />}>
      <Chart label={label} x={{ label: "From", values: times, kind: "time" }} series={series} text={text} />
    </Suspense>
  );
}

function Coverage({ points }: { readonly points: readonly CoveragePoint[] }): ReactNode {
  const times = [...new Set(points.map(({ at }) => at))].toSorted((left, right) => left - right);
  const of = (source: CoveragePoint["source"]): (number | null)[] => {
    const told = new Map(points.filter((point) => point.source === source).map(({ at, percent }) => [at, percent]));
    return times.map((at) => told.get(at) ?? null);
  };
  return (
    <Figures
      label="Coverage"
      times={times}
      series={[line("Measured by a gate", "good", of("measured")), line("Claimed", "warning", of("claimed"))]}
      text={percentText}
    />
  );
}

function percentText(value: number): string {
  return `${short(value)} %`;
}
