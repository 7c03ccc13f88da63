interface Made<T> {
  readonly answer: T;
  readonly state: string;
  /** Until then it is good enough, also when the state has changed. */
  readonly until: number;
}

/** What takes long to make is made anew less often: it stays good for this many times as long as it took. */
const GOOD_FOR = 20;
const LONGEST = 60_000;

/**
 * Answers over many runs. While nothing has changed they stay; otherwise for a moment that grows with what they cost,
 * and whoever asks while a new one is made is given the last one.
 */
export class Recent<T> {
  readonly #most: number;
  readonly #made = new Map<string, Made<T>>();
  readonly #making = new Map<string, Promise<T>>();

  constructor(most: number) {
    this.#most = most;
  }

  async find(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const known = this.#made.get(key);
    if (known !== undefined && (known.state === state || performance.now() < known.until)) return known.answer;
    const making = this.#making.get(key) ?? this.#make(key, state, make);
    return known === undefined ? making : this.#orLast(making, known.answer);
  }

  async #make(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const making = make();
    this.#making.set(key, making);
    try {
      const answer = await making;
      const took = performance.now() - started;
      this.#made.delete(key);
      this.#made.set(key, { answer, state, until: performance.now() + Math.min(took * GOOD_FOR, LONGEST) });
      for (const oldest of this.#made.keys()) if (this.#made.size > this.#most) this.#made.delete(oldest);
      return answer;
    } finally {
      this.#making.delete(key);
    }
  }

  /** A short one is waited for. */
  #orLast(making: Promise<T>, last: T): Promise<T> {
    making.catch(() => undefined);
    const late = new Promise<T>((resolve) => setTimeout(() => resolve(last), SHORT));
    return Promise.race([making, late]);
  }
}

const SHORT = 50;
