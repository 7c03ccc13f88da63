import type { ReactNode } from "react";
import type { BudgetUse, RunPage, Used } from "../../../src/api/answers.ts";
import { count, counted, dollars, spanOf } from "../../components/format.ts";
import { Panel } from "../../components/panel.tsx";

const ROWS: readonly {
  readonly of: keyof BudgetUse;
  readonly word: string;
  readonly show: (value: number) => string;
}[] = [
  { of: "wall", word: "Time", show: spanOf },
  { of: "agent", word: "Agents' time", show: spanOf },
  { of: "tokens", word: "Tokens", show: count },
  { of: "money", word: "Money", show: dollars },
];

/** What was used, of how much. What was not reported is shown as unknown. */
export function Budget({ page: { budget, steps } }: { readonly page: RunPage }): ReactNode {
  const isAtWork = steps.some(({ attempts }) => attempts.some(({ ended_at }) => ended_at === null));
  return (
    <Panel title="Budget used">
      <ul className="budget">
        {ROWS.map(({ of, word, show }) => (
          <BudgetRow key={of} word={word} used={budget[of]} show={show} isAtWork={isAtWork} />
        ))}
      </ul>
    </Panel>
  );
}

function BudgetRow({
  word,
  used: { used, limit, unknown },
  show,
  isAtWork,
}: {
  readonly word: string;
  readonly used: Used;
  readonly show: (value: number) => string;
  /** Its figures come when it ends. */
  readonly isAtWork: boolean;
}): ReactNode {
  const share = limit === null || limit === 0 ? null : used / limit;
  return (
    <li className="budget__row">
      <span className="budget__word">{word}</span>
      <span className="budget__value">
        {used === 0 && (unknown > 0 || isAtWork) ? "unknown" : show(used)}
        <span className="soft">{limit === null ? ", no limit" : ` of ${show(limit)}`}</span>
      </span>
      {share !== null && (
        <span className="meter" aria-hidden="true">
          {share > 0 && <span className={barOf(share)} style={{ width: `${Math.min(100, share * 100)}%` }} />}
        </span>
      )}
      {unknown > 0 && (
        <span className="budget__unknown">
          {used === 0 ? "" : "at least; "}
          {counted(unknown, "attempt")} told no figure
        </span>
      )}
    </li>
  );
}

function barOf(share: number): string {
  if (share >= 1) return "meter__bar meter__bar--bad";
  return share > 0.8 ? "meter__bar meter__bar--warning" : "meter__bar";
}
