import type { ReactNode } from "react";
import type { Metrics } from "../../../src/api/answers.ts";
import { count, counted } from "../../components/format.ts";
import { medianOf, moneyOf, rateOf, shareOf, spentNote, timeNote, timeOf, tokensOf } from "./say.ts";

interface KeyFigure {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

export function KeyFigures({ metrics }: { readonly metrics: Metrics }): ReactNode {
  return (
    <dl className="key-figures">
      {figuresOf(metrics).map(({ name, value, note }) => (
        <div key={name} className="panel key-figure">
          <dt>{name}</dt>
          <dd>
            <span className="key-figure__value">{value}</span>
            <span className="key-figure__note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf({ all, runs, pruned }: Metrics): KeyFigure[] {
  // Pruned runs are not known.
  const hasNeverAsked = all.asks === 0 && runs > pruned;
  const { statuses, claims, merges, gates } = all;
  const judged = claims.confirmed + claims.refuted;
  return [
    {
      name: "Runs",
      value: count(all.runs),
      note: [
        `${statuses.completed} completed`,
        `${statuses.failed} failed`,
        ...(statuses.cancelled > 0 ? [`${statuses.cancelled} cancelled`] : []),
        ...(pruned > 0 ? [`${pruned} pruned, not counted below`] : []),
      ].join(", "),
    },
    { name: "Cycle time", value: timeOf(all.cycle_time), note: timeNote(all.cycle_time) },
    hasNeverAsked
      ? { name: "Waited for people", value: "never", note: "no person was asked" }
      : { name: "Waited for people", value: timeOf(all.waiting_time), note: timeNote(all.waiting_time) },
    {
      name: "Reviews in a run",
      value: medianOf(all.review_iterations),
      note: all.review_iterations === null ? "nothing was reviewed" : `at most ${count(all.review_iterations.most)}`,
    },
    {
      name: "Loops, retries, repairs",
      value: `${count(all.loops)}, ${count(all.retries)}, ${count(all.repairs)}`,
      note: `in ${counted(all.steps, "step")}`,
    },
    {
      name: "Claims that held",
      value: shareOf(claims.confirmed, judged),
      note: `${count(claims.refuted)} refuted, ${count(claims.unverifiable)} that cannot be checked`,
    },
    {
      name: "Gates passed",
      value: shareOf(gates.passed, gates.passed + gates.failed),
      note: `${count(gates.passed)} passed, ${count(gates.failed)} failed`,
    },
    {
      name: "Merged without a person",
      value: rateOf(merges.rate),
      note: merges.pull_requests === 0 ? "no pull request yet" : `of ${counted(merges.pull_requests, "pull request")}`,
    },
    { name: "Tokens", value: tokensOf(all.tokens), note: spentNote(all.tokens) },
    { name: "Cost", value: moneyOf(all.money), note: spentNote(all.money) },
  ];
}
