import type { JsonRecord } from "../../shared/json-value.ts";
import type { Engine } from "../engine.ts";

export interface AuditPage {
  readonly entries: readonly AuditLine[];
  /** For the next page; null when this was the last one. */
  readonly next: number | null;
}

export interface AuditLine {
  readonly position: number;
  readonly run: string;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  /** Null once it was pruned. */
  readonly data: JsonRecord | null;
  readonly hash: string;
}

/** Entries of all runs after this position, in their order. */
export async function listAudit(
  { machine }: Engine,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditPage> {
  const found = await machine.log.history(after, limit + 1);
  const entries = found.slice(0, limit);
  return { entries, next: found.length > limit ? (entries.at(-1)?.position ?? null) : null };
}
