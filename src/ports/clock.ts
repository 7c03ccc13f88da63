/** Time and chance, so that tests can decide them. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** A new id that nobody can guess. */
  id(): string;
}
