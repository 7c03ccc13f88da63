import type { Row } from "../sqlite/rows.ts";
import type { Queries, Values } from "../postgres/connection.ts";

type Value = Values[number];
type Single = Exclude<Value, readonly unknown[]>;

/**
 * Postgres keeps no text with the character NUL, which agents may write: it is stored as MARK and a digit, and so is
 * MARK itself, so that every text comes back as it was.
 */
export function withNul(queries: Queries): Queries {
  return {
    all: async (sql, values = []) => (await queries.all(sql, values.map(escaped))).map(unescapedRow),
    change: (sql, values = []) => queries.change(sql, values.map(escaped)),
  };
}

/** A code point that no character will ever have. */
const MARK = "\u{10fffe}";
const TO_ESCAPE = /[\0\u{10fffe}]/u;
const ESCAPED = /\u{10fffe}([01])/gu;

function escaped(value: Value): Value {
  return Array.isArray(value) ? (value as readonly Single[]).map(escapedText) : escapedText(value as Single);
}

function escapedText(value: Single): Single {
  if (typeof value !== "string" || !TO_ESCAPE.test(value)) return value;
  return value.replaceAll(MARK, `${MARK}1`).replaceAll("\0", `${MARK}0`);
}

function unescapedRow(row: Row): Row {
  const texts = Object.entries(row).filter(([, value]) => typeof value === "string" && value.includes(MARK));
  if (texts.length === 0) return row;
  return { ...row, ...Object.fromEntries(texts.map(([name, value]) => [name, unescapedText(String(value))])) };
}

function unescapedText(text: string): string {
  return text.replaceAll(ESCAPED, (_, digit) => (digit === "0" ? "\0" : MARK));
}
