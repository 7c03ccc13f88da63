import { type ReactNode, Suspense } from "react";
import type { Round, RunPage } from "../../../src/api/answers.ts";
import type { Series } from "../../components/chart.tsx";
import { count, counted } from "../../components/format.ts";
import { OnePoint } from "../../components/one-point.tsx";
import { Panel } from "../../components/panel.tsx";
import { part } from "../../components/part.ts";
import { Empty, Loading } from "../../components/states.tsx";

const Chart = part(async () => (await import("../../components/chart.tsx")).Chart);

/** What never happened needs no line. */
function seriesOf(rounds: readonly Round[]): Series[] {
  const line = (label: string, meaning: Series["meaning"], of: (round: Round) => number): Series => ({
    label,
    meaning,
    kind: "line",
    values: rounds.map(of),
  });
  const always = [
    line("Open", "warning", ({ open }) => open),
    line("Open, blocking", "bad", (round) => round.open_blocking),
  ];
  const perhaps = [
    line("Opened", "plain", ({ opened }) => opened),
    line("Fixed", "good", ({ fixed }) => fixed),
    line("Reopened", "person", ({ reopened }) => reopened),
  ];
  return [...always, ...perhaps.filter(({ values }) => values.some((value) => value !== 0))];
}

/** Whether the loop comes to an end: open issues after each round. */
export function Convergence({
  rounds,
  issues,
}: {
  readonly rounds: readonly Round[];
  readonly issues: RunPage["view"]["issues"];
}): ReactNode {
  const open = issues.filter(({ status }) => status === "open").length;
  return (
    <Panel
      title="Issues by round"
      aside={
        <span className="soft">{issues.length === 0 ? "" : `${open} open of ${counted(issues.length, "issue")}`}</span>
      }
    >
      {issues.length === 0 ? (
        <Empty title="No issue was raised">
          A review that finds something opens issues here, and closes them when it finds them no more.
        </Empty>
      ) : rounds.length < 2 ? (
        <OnePoint series={seriesOf(rounds)} text={count} />
      ) : (
        <Suspense fallback={<Loading what="the chart" />}>
          <Chart
            label="Issues by round"
            x={{ label: "Round", values: rounds.map(({ iteration }) => iteration), kind: "number" }}
            series={seriesOf(rounds)}
          />
        </Suspense>
      )}
    </Panel>
  );
}
