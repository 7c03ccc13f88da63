/** Answers that take long, for as long as nothing has changed; those who ask meanwhile wait for the same one. */
export class Remembered<T> {
  readonly #most: number;
  readonly #kept = new WeakMap<object, Map<string, Promise<T>>>();

  constructor(most: number) {
    this.#most = most;
  }

  find(owner: object, key: string, make: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(owner) ?? new Map<string, Promise<T>>();
    this.#kept.set(owner, kept);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    made.catch(() => kept.delete(key));
    kept.set(key, made);
    for (const oldest of kept.keys()) {
      if (kept.size <= this.#most) break;
      kept.delete(oldest);
    }
    return made;
  }
}
