import type { AgentUpdate } from "../ports/agent.ts";
import { printable } from "../shared/printable.ts";

const LONGEST_LINE = 2000;
const LINES_PER_SECOND = 200;

/**
 * Hands lines of an agent to whoever watches: made harmless, cut to a bearable length, and in a flood
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
    for (const line of text.slice(0, LONGEST_LINE * LINES_PER_SECOND).split("\n")) this.tell(line);
  }

  usage(tokens: number | null, money: number | null): void {
    this.#hand({ kind: "usage", tokens, money });
  }

  end(): void {
    this.#tellLeftOut();
  }

  #send(line: string): void {
    const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
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
      // Its own affair: an agent's attempt does not fail because nobody could look at it.
    }
  }
}
