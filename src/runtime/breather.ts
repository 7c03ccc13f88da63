/** Long work lets others go first: after every few milliseconds the turn is theirs. */
export class Breather {
  readonly #most: number;
  #since = performance.now();

  constructor(most = 5) {
    this.#most = most;
  }

  async breathe(): Promise<void> {
    if (performance.now() - this.#since < this.#most) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
