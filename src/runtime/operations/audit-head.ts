import { headHashOf, readCheckpoint, seenHeadOf } from "../../audit/checkpoint.ts";
import { pemOf } from "../../audit/signature.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Engine } from "../engine.ts";
import { exportLines } from "../../audit/export-lines.ts";

export interface AuditHead {
  readonly log: string;
  readonly position: number;
  readonly hash: string;
  /** When the checkpoint was made. */
  readonly at: number;
  readonly checkpoint: number;
  readonly keyId: string | null;
  /** Hex. */
  readonly publicKey: string | null;
  readonly signed: boolean;
  /** Hex; null when it could not be signed. */
  readonly signature: string | null;
  /** Why it is not signed. */
  readonly unsigned: string | null;
}

type Signed = Pick<Engine, "ports" | "logSigner">;
type AcceptedState = Pick<Engine, "ports" | "logSigner" | "hasKnowledge">;

/** Signs the present head, unless that was done already. Null while the log is empty. */
export async function auditHead({ ports }: Signed): Promise<AuditHead | null> {
  const kept = await ports.log.checkpoint();
  return kept === null ? null : headIn(kept);
}

function headIn(kept: KeptCheckpoint): AuditHead {
  const body = readCheckpoint(kept);
  if (body === null)
    throw new AppError("damaged-state", "The last checkpoint was changed.", "`baton audit verify` tells more.");
  const { log, position, at, keyId, key, unsigned } = body;
  const { number: checkpoint, signature } = kept;
  return {
    log,
    position,
    hash: headHashOf(kept, body),
    at,
    checkpoint,
    signed: signature !== null,
    keyId,
    publicKey: key,
    signature,
    unsigned,
  };
}

/**
 * Accepts this log as that of this repository, with what was pruned while nothing could be signed. Heads remembered for
 * the repository before are set aside.
 */
export async function acceptLog({ ports, logSigner, hasKnowledge }: AcceptedState): Promise<AuditHead | null> {
  const { log } = ports;
  if (logSigner === undefined) return null;
  if (hasKnowledge?.() === true) await ports.knowledge.accept();
  const first = await log.checkpoint();
  const body = first === null ? null : readCheckpoint(first);
  if (first === null || body === null) return null;
  await logSigner.accept(seenHeadOf(first, body));
  // What could not be signed until now gets a signature.
  const accepted = await log.checkpoint({ accepts: true });
  return accepted === null ? null : headIn(accepted);
}

/** The public key of this machine as PEM, or why there is none. */
export function auditKey({ logSigner }: Signed): { readonly pem: string } | { readonly why: string } {
  const signer = logSigner?.signer() ?? { why: "this log is not signed" };
  return "why" in signer ? signer : { pem: pemOf(signer.publicKey) };
}

interface AuditFilter {
  /** Includes the content of this run only; other runs contribute only what the chain needs. */
  readonly run?: string;
  /** Leaves out content from before this time. */
  readonly since?: number;
}

/** Size of one piece of the export. */
const CHUNK = 65_536;

/**
 * JSON Lines, in pieces of many lines, that can be verified elsewhere with only the public key. Signs the present head
 * first, so that, with a key, a signature covers every entry of the export; a read-only log is exported with the
 * signatures that it has.
 */
export async function* exportAudit(
  { ports, logSigner, isReadOnly }: Pick<Engine, "ports" | "logSigner" | "isReadOnly">,
  { run, since }: AuditFilter = {},
): AsyncGenerator<string, void, void> {
  const { log, clock } = ports;
  if (!isReadOnly) await log.checkpoint();
  const snapshot = await log.snapshot();
  try {
    const signer = logSigner?.signer() ?? { why: "there is no key" };
    const options = { run: run ?? null, since: since ?? null, at: clock.now(), signer };
    let chunk = "";
    for await (const line of exportLines(snapshot, options)) {
      chunk += line;
      if (chunk.length < CHUNK) continue;
      yield chunk;
      chunk = "";
    }
    yield chunk;
  } finally {
    await snapshot.close();
  }
}
