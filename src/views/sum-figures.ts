import type { Figure } from "./metrics.ts";
import type { Metric } from "./read-metric.ts";
import type { RunFigure, RunMeasure } from "./run-measure.ts";
import { spreadOf } from "./spread.ts";

const MOST_AGENTS = 20;

/** What handoffs carried, by name and kind: values of another kind or unit are never added up. */
export function sumFigures(measures: readonly RunMeasure[]): Figure[] {
  const sums = new Map<string, FigureSum>();
  for (const { figures } of measures)
    for (const figure of figures) {
      const known = sums.get(figure.key);
      if (known !== undefined) known.add(figure);
      else sums.set(figure.key, new FigureSum(figure));
    }
  return [...sums.values()].map((sum) => sum.figure()).sort(compareFigures);
}

/** Under which figures are added up. */
export function figureKey(name: string, metric: Metric): string {
  return `${metric.kind} ${unitOf(metric) ?? ""} ${name}`;
}

function unitOf(metric: Metric): string | null {
  return metric.kind === "amount" ? metric.unit : null;
}

function compareFigures(left: Figure, right: Figure): number {
  if (left.count !== right.count) return right.count - left.count;
  return left.name === right.name ? (left.kind < right.kind ? -1 : 1) : left.name < right.name ? -1 : 1;
}

class FigureSum {
  #last: RunFigure;
  #count = 0;
  readonly #agents = new Set<string>();
  readonly #values: number[] = [];
  readonly #ratio = { part: 0, whole: 0 };
  #yes = 0;

  constructor(first: RunFigure) {
    this.#last = first;
    this.add(first);
  }

  add(figure: RunFigure): void {
    const { metric } = figure;
    this.#count++;
    this.#agents.add(figure.agent);
    if (figure.at >= this.#last.at) this.#last = figure;
    if (metric.kind === "flag") this.#yes += metric.value ? 1 : 0;
    else if (metric.kind !== "text" && metric.value !== null) this.#values.push(metric.value);
    if (metric.kind !== "ratio") return;
    this.#ratio.part += metric.part;
    this.#ratio.whole += metric.whole;
  }

  figure(): Figure {
    const { name, text, at, metric } = this.#last;
    return {
      name,
      kind: metric.kind,
      unit: unitOf(metric),
      count: this.#count,
      agents: [...this.#agents].sort().slice(0, MOST_AGENTS),
      spread: spreadOf(this.#values),
      ratio: metric.kind === "ratio" ? this.#ratio : null,
      flags: metric.kind === "flag" ? { yes: this.#yes, no: this.#count - this.#yes } : null,
      last: text,
      last_at: at,
    };
  }
}
