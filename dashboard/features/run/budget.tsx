import type { ReactNode } from "react";
import type { BudgetUse, Used } from "../../../src/api/answers.ts";
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

/** What was used, of how much. What nobody told is said to be unknown. */
export function Budget({ budget }: { readonly budget: BudgetUse }): ReactNode {
  return (
    <Panel title="Budget used">
      <ul className="budget">
        {ROWS.map(({ of, word, show }) => (
          <BudgetRow key={of} word={word} used={budget[of]} show={show} />
        ))}
      </ul>
    </Panel>
  );
}

function BudgetRow({
  word,
  used: { used, limit, unknown },
  show,
}: {
  readonly word: string;
  readonly used: Used;
  readonly show: (value: number) => string;
}): ReactNode {
  const share = limit === null || limit === 0 ? null : used / limit;
  return (
    <li className="budget__row">
      <span className="budget__word">{word}</span>
      <span className="budget__value">
        {unknown > 0 && used === 0 ? "unknown" : show(used)}
        <span className="soft">{limit === null ? ", no limit" : ` of ${show(limit)}`}</span>
      </span>
      {share !== null && (
        <span className="meter" aria-hidden="true">
          <span
            className={
              share >= 1 ? "meter__bar meter__bar--bad" : share > 0.8 ? "meter__bar meter__bar--warning" : "meter__bar"
            }
            style={{ width: `${Math.min(100, share * 100)}%` }}
          />
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
