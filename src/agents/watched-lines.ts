import type { AgentUpdate } from "../ports/agent.ts";
import { printable } from "../shared/printable.ts";
import { isRecord, type JsonRecord, type JsonValue } from "../shared/json-value.ts";
import { LineSplitter } from "./process-group/program-output.ts";

const MAX_LINE = 2000;
const LINES_PER_SECOND = 200;

/**
 * Passes lines of an agent to the watcher: made harmless, cut to a bearable length, and in a flood
 * only so many a second, with a word about the rest. The watcher can do no harm to the attempt.
 */
export class WatchedLines {
  readonly #watch: (update: AgentUpdate) => void;
  #windowStart = 0;
  #told = 0;
  #leftOut = 0;

  constructor(watch: (update: AgentUpdate) => void) {
    this.#watch = watch;
  }

  tell(line: string): void {
    if (line.trim() === "") return;
    const now = performance.now();
    if (now - this.#windowStart >= 1000) {
      this.#tellLeftOut();
      this.#windowStart = now;
      this.#told = 0;
    }
    if (this.#told < LINES_PER_SECOND) this.#send(line);
    else this.#leftOut += 1;
    this.#told += 1;
  }

  /** A text of several lines. */
  tellAll(text: string): void {
    // Splitting a huge text only to leave most of it out would be work for nothing.
    for (const line of text.slice(0, MAX_LINE * LINES_PER_SECOND).split("\n")) this.tell(line);
  }

  usage(tokens: number | null, money: number | null): void {
    this.#hand({ kind: "usage", tokens, money });
  }

  end(): void {
    this.#tellLeftOut();
  }

  #send(line: string): void {
    const cut = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} …` : line;
    this.#hand({ kind: "line", text: printable(cut) });
  }

  #tellLeftOut(): void {
    if (this.#leftOut > 0) this.#hand({ kind: "line", text: `… ${this.#leftOut} more lines` });
    this.#leftOut = 0;
  }

  #hand(update: AgentUpdate): void {
    try {
      this.#watch(update);
    } catch {
      // An attempt does not fail because its watcher failed.
    }
  }
}

/** A client's stream of JSON records, one a line. Anything else that it prints goes to `onText`. */
export function jsonLines(onRecord: (record: JsonRecord) => void, onText: (line: string) => void): LineSplitter {
  return new LineSplitter((line) => {
    const record = parseRecord(line);
    if (record === null) onText(line);
    else onRecord(record);
  }, MAX_JSON_LINE);
}

/** A tool may have read a large file; more than this is no message of a client in its senses. */
const MAX_JSON_LINE = 32 << 20;

function parseRecord(line: string): JsonRecord | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function jsonText(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

export function amountOf(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

export function jsonRecord(value: JsonValue | undefined): JsonRecord {
  return isRecord(value) ? value : {};
}

export function jsonList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
