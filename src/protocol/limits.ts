/** How large a text may be before it is refused: texts come from anywhere. */
export interface Limits {
  /** UTF-8 bytes of the whole text. */
  readonly bytes: number;
  /** Levels of nesting. */
  readonly depth: number;
  /** Values in one document. */
  readonly nodes: number;
}

export const DEFAULT_LIMITS: Limits = { bytes: 1_048_576, depth: 64, nodes: 50_000 };

/** A limit that was left open, or is no number, must not become none at all. */
export function limitsFrom(given: Partial<Limits>): Limits {
  const sound = Object.entries(given).filter(([, most]) => typeof most === "number" && most >= 0);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(sound) };
}

/** Keys that can change how programs treat a whole record. */
export function isForbidden(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}
