import type { Figure, Spent, Spread } from "./metrics.ts";
import type { Metric } from "./read-metric.ts";
import type { RunFigure, RunMeasure, RunAgent, Totals } from "./run-measure.ts";

const MAX_AGENTS = 20;

/** Metrics of handoffs by name and kind. Values of different kinds or units are never summed up. */
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

/** Metrics with the same key are summed up. */
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
      agents: [...this.#agents].sort().slice(0, MAX_AGENTS),
      spread: spreadOf(this.#values),
      ratio: metric.kind === "ratio" ? this.#ratio : null,
      flags: metric.kind === "flag" ? { yes: this.#yes, no: this.#count - this.#yes } : null,
      last: text,
      last_at: at,
    };
  }
}

type Sum = { -readonly [K in keyof Totals]: number };

export function totalsOf(agents: readonly RunAgent[]): Totals {
  const total = noTotals();
  for (const agent of agents) {
    add(total, agent);
    for (const time of agent.attempts) total.agent_time += time;
  }
  return total;
}

export function addTotals(all: readonly Totals[]): Totals {
  const total = noTotals();
  for (const each of all) {
    add(total, each);
    total.agent_time += each.agent_time;
  }
  return total;
}

/**
 * Written out field by field: over tens of thousands of runs this is several times faster than a loop over the keys.
 */
function add(total: Sum, more: Omit<Totals, "agent_time">): void {
  total.steps += more.steps;
  total.ended += more.ended;
  total.handoffs += more.handoffs;
  total.repairs += more.repairs;
  total.retries += more.retries;
  total.gates_passed += more.gates_passed;
  total.gates_failed += more.gates_failed;
  total.confirmed += more.confirmed;
  total.refuted += more.refuted;
  total.unverifiable += more.unverifiable;
  total.tokens += more.tokens;
  total.money += more.money;
  total.unknown_tokens += more.unknown_tokens;
  total.unknown_money += more.unknown_money;
}

function noTotals(): Sum {
  return {
    steps: 0,
    handoffs: 0,
    repairs: 0,
    retries: 0,
    gates_passed: 0,
    gates_failed: 0,
    confirmed: 0,
    refuted: 0,
    unverifiable: 0,
    tokens: 0,
    money: 0,
    unknown_tokens: 0,
    unknown_money: 0,
    ended: 0,
    agent_time: 0,
  };
}

/** Null for an empty list. The p90 is one of the values: the smallest that 90 percent of them do not exceed. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = Float64Array.from(values).sort();
  const [least] = sorted;
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) return null;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    count: sorted.length,
    sum,
    mean: sum / sorted.length,
    least,
    median: medianOf(sorted),
    p90: sorted[Math.ceil(sorted.length * 0.9) - 1] ?? most,
    most,
  };
}

function medianOf(sorted: Float64Array): number {
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return low + (high - low) / 2;
}

/** The sum of the known values, and the number of attempts with an unknown one. */
export function spentOf(sum: number, attempts: number, unknown: number): Spent {
  const known = attempts - unknown;
  return { sum: known === 0 ? null : sum, known, unknown };
}
