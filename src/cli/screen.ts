import type { Terminal } from "./terminal.ts";

/** Lines scroll by; below them stays a picture that is drawn again and again. */
export class Screen {
  readonly #terminal: Terminal;
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Lines that stay, then the picture; no line of it is wider than the screen. */
  show(lines: readonly string[], picture: readonly string[]): void {
    const text = [...lines, ...picture].map((line) => `${line}\n`).join("");
    this.#terminal.note(this.#erased() + text);
    this.#drawn = picture.length;
  }

  /** Takes the picture away. */
  end(): void {
    this.#terminal.note(this.#erased());
    this.#drawn = 0;
  }

  #erased(): string {
    const up = this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A`;
    return `\r${up}\u001b[J`;
  }
}
