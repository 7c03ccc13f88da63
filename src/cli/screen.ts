import type { Terminal } from "./terminal.ts";

/** Lines scroll by; a picture below them is redrawn in place. */
export class Screen {
  readonly #terminal: Terminal;
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Lines that stay, then the picture; no line of it is wider than the screen. */
  show(lines: readonly string[], picture: readonly string[]): void {
    const text = [...lines, ...picture].map((line) => `${CLEAR_LINE}${line}\n`).join("");
    this.#terminal.note(this.#atTop() + text + CLEAR_BELOW);
    this.#drawn = picture.length;
  }

  /** Takes the picture away. */
  end(): void {
    this.#terminal.note(this.#atTop() + `${CLEAR_LINE}\n`.repeat(this.#drawn) + this.#atTop());
    this.#drawn = 0;
  }

  #atTop(): string {
    return this.#drawn === 0 ? "\r" : `\r\u001b[${this.#drawn}A`;
  }
}

/**
 * A picture is drawn over the one before, line by line. To clear everything first would be simpler, but where it
 * begins in the first line of the screen, tmux takes that for the end of a page and keeps every picture to scroll to.
 */
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";
