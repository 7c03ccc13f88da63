import type { Sample } from "../dialect.ts";

type Changes = Extract<Sample, { set: unknown }>["set"];

/** A sample made by changing the dialect's example. */
export function changed(changes: Changes, path?: string): Sample {
  return path === undefined ? { set: changes } : { set: changes, path };
}

/** The example as it is. */
export const unchanged: Sample = { set: {} };

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
