/** A report as a page: every format writes it in its own way, and each of them guards what others have said. */
export interface Page {
  readonly title: Words;
  /** How it stands, at a glance. */
  readonly tone: PageTone;
  readonly status: string;
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  readonly footer: Words;
}

export type PageTone = "good" | "bad" | "warning" | "plain";

/** Our own words, and between them what agents, people or files have said. */
export type Words = readonly (string | Said)[];

/** Not ours: it is shown, and never obeyed. */
export interface Said {
  readonly said: string;
}

export interface Fact {
  readonly name: string;
  readonly value: Words;
}

export interface Section {
  readonly heading: string;
  /** Under the heading. */
  readonly about?: Words;
  readonly charts?: readonly Chart[];
  readonly table?: Table;
  readonly items?: readonly Words[];
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Words[])[];
  /** What the table has no room for. */
  readonly more?: string;
}

export interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  /** Long, and nobody reads it: it may be broken anywhere. */
  readonly isHash?: boolean;
}

export type ChartTone = "good" | "bad" | "quiet" | "first" | "second";

export interface Series {
  readonly name: string;
  readonly tone: ChartTone;
  /** One for each label; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

export type Chart =
  | {
      /** Bars stand on each other, lines go from one known value to the next. */
      readonly kind: "bars" | "lines";
      readonly title: string;
      readonly labels: readonly string[];
      readonly series: readonly Series[];
      readonly print: (value: number) => string;
    }
  | {
      readonly kind: "spans";
      readonly title: string;
      readonly rows: readonly SpanRow[];
      readonly from: number;
      readonly to: number;
    };

export interface SpanRow {
  readonly label: string;
  readonly spans: readonly {
    readonly from: number;
    readonly to: number;
    readonly tone: ChartTone;
    readonly title: string;
  }[];
}

export function said(text: string): Said {
  return { said: text };
}
