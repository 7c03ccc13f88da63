import type { JsonRecord } from "../../shared/json-value.ts";

/** The kinds of stored data of a run, each with a version. */
export type StoredPart = "event" | "input" | "message" | "effect" | "workflow";

/**
 * Converts data of one version to the next. Entry n of the list converts version n to n + 1. It receives the stored
 * record without its version, must not change it, and returns a new one. A released upcast is never edited.
 */
export type Upcast = { readonly about: string } & {
  readonly [Part in StoredPart]?: (data: JsonRecord) => JsonRecord;
};

/** Data without a version are of version 1. */
export const UPCASTS: readonly Upcast[] = [
  {
    about: "Every record has a version. The first runs were stored before a workflow could have a forge.",
    workflow: (data) => (data["forge"] === undefined ? { ...data, forge: null } : data),
  },
];
