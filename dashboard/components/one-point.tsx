import type { ReactNode } from "react";
import type { Series } from "./chart.tsx";
import { UNKNOWN } from "./format.ts";

/** The figures of a chart that has only one point: a line needs two. */
export function OnePoint({
  series,
  text,
}: {
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
}): ReactNode {
  return (
    <dl className="one-point">
      {series.map(({ label, meaning, values: [value] }) => (
        <div key={label} className={`ink--${meaning}`}>
          <dt>{label}</dt>
          <dd>{value === null || value === undefined ? UNKNOWN : text(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
