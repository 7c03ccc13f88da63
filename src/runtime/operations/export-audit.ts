import { exportLines } from "../../audit/export-lines.ts";
import type { Engine } from "../engine.ts";

export interface AuditFilter {
  /** Contents of this run only; of the others only what the chain needs. */
  readonly run?: string;
  /** Nothing from before this time. */
  readonly since?: number;
}

/** How much is handed over at once. */
const CHUNK = 65_536;

/**
 * JSON Lines that can be verified elsewhere with nothing but them and the public key, in pieces of many lines. Signs
 * the present head first, so that no entry of the export is left to the chain alone; a log that may not be written is
 * exported with the signatures that it has.
 */
export async function* exportAudit(
  { machine, notary, isReadOnly }: Pick<Engine, "machine" | "notary" | "isReadOnly">,
  { run, since }: AuditFilter = {},
): AsyncGenerator<string, void, void> {
  const { log, clock } = machine;
  if (!isReadOnly) await log.checkpoint();
  const snapshot = await log.snapshot();
  try {
    const signer = notary?.signer() ?? { why: "there is no key" };
    const options = { run: run ?? null, since: since ?? null, at: clock.now(), signer };
    let chunk = "";
    for (const line of exportLines(snapshot, options)) {
      chunk += line;
      if (chunk.length < CHUNK) continue;
      yield chunk;
      chunk = "";
    }
    yield chunk;
  } finally {
    snapshot.close();
  }
}
