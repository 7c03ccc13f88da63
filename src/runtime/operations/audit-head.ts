import { readCheckpoint, seenHeadOf } from "../../audit/checkpoint.ts";
import { pemOf } from "../../audit/signature.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Engine } from "../engine.ts";

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

type Signed = Pick<Engine, "machine" | "notary">;

/** Signs the present head, unless that was done already. Null while the log is empty. */
export async function auditHead({ machine }: Signed): Promise<AuditHead | null> {
  const kept = await machine.log.checkpoint();
  return kept === null ? null : headIn(kept);
}

function headIn(kept: KeptCheckpoint): AuditHead {
  const body = readCheckpoint(kept);
  if (body === null)
    throw new AppError("damaged-state", "The last checkpoint was changed.", "`baton audit verify` tells more.");
  const { log, position, hash, at, keyId, key, unsigned } = body;
  const { number: checkpoint, signature } = kept;
  return {
    log,
    position,
    hash,
    at,
    checkpoint,
    signed: signature !== null,
    keyId,
    publicKey: key,
    signature,
    unsigned,
  };
}

/** From now on this log stands here, whatever stood here before; what was remembered of that is put aside. */
export async function acceptLog({ machine, notary }: Signed): Promise<AuditHead | null> {
  const { log } = machine;
  if (notary === undefined) return null;
  const first = await log.checkpoint();
  const body = first === null ? null : readCheckpoint(first);
  if (first === null || body === null) return null;
  await notary.accept(seenHeadOf(first, body));
  // What was refused a signature until now gets one.
  return auditHead({ machine });
}

/** The public key of this machine as PEM, or why there is none. */
export function auditKey({ notary }: Signed): { readonly pem: string } | { readonly why: string } {
  const signer = notary?.signer() ?? { why: "nobody signs this log" };
  return "why" in signer ? signer : { pem: pemOf(signer.publicKey) };
}
