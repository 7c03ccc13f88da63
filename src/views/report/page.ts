/** A report as a page. Each format renders it and escapes quoted text in its own way. */
export interface ReportPage {
  readonly title: Words;
  /** Overall result, shown as a colour or a symbol. */
  readonly tone: PageTone;
  readonly status: string;
  readonly facts: readonly PageFact[];
  readonly sections: readonly Section[];
  readonly footer: Words;
}

export type PageTone = "good" | "bad" | "warning" | "plain";

/** Fixed text, mixed with quoted text of agents, people or files. */
export type Words = readonly (string | QuotedText)[];

/** Text of others: it is escaped, and never interpreted as markup. */
interface QuotedText {
  readonly said: string;
}

export interface PageFact {
  readonly name: string;
  readonly value: Words;
}

export interface Section {
  readonly heading: string;
  /** Text below the heading. */
  readonly about?: Words;
  readonly charts?: readonly Chart[];
  readonly table?: Table;
  readonly items?: readonly Words[];
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Words[])[];
  /** Note about rows that the table leaves out. */
  readonly more?: string;
}

export interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  /** A long hash, which may be broken at any character. */
  readonly isHash?: boolean;
}

type ChartTone = "good" | "bad" | "quiet" | "first" | "second";

export interface Series {
  readonly name: string;
  readonly tone: ChartTone;
  /** One value per label; null where it is not known. */
  readonly values: readonly (number | null)[];
}

export type Chart =
  | {
      /** Bars are stacked. Lines connect known values. */
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

export function said(text: string): QuotedText {
  return { said: text };
}
