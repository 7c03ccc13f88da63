/**
 * Holds the agents of any number of runs, and lets them go on. An agent that cannot be held is ended instead: what it
 * does could be done by another one meanwhile.
 */
export class Halt {
  readonly #holders = new Set<(isOn: boolean) => void>();
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  set(isOn: boolean): void {
    if (this.#isOn === isOn) return;
    this.#isOn = isOn;
    for (const hold of this.#holders) hold(isOn);
  }

  /** Also at once when it is on. Returns how to end it. */
  apply(hold: (isOn: boolean) => void): () => void {
    this.#holders.add(hold);
    if (this.#isOn) hold(true);
    return () => void this.#holders.delete(hold);
  }
}
