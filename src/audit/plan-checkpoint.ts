import type { Pruned } from "../ports/event-log.ts";
import type { KnownKey, NoSigner, SeenHead, Signer } from "../ports/log-signer.ts";
import type { KeptCheckpoint } from "../ports/log-snapshot.ts";
import { type CheckpointBody, digestOf, type LogSummary, makeCheckpoint, readCheckpoint } from "./checkpoint.ts";

export interface SigningInput {
  readonly signer: Signer | NoSigner;
  /** Keys whose signatures are trusted here. */
  readonly keys: readonly KnownKey[];
  /** Heads that were remembered outside of the log. */
  readonly seen: (log: string) => readonly SeenHead[];
  readonly at: number;
  /** What this transaction has pruned, or all that was pruned, where the operator accepts it. */
  readonly confirms: JustPruned | "all";
}

export type JustPruned = Pick<Pruned, "entries" | "texts">;

/** What a store has read of its log, in one transaction. */
interface LogState {
  readonly summary: LogSummary;
  /** The body of the last checkpoint; null when there is none, or when it is not as it was written. */
  readonly last: CheckpointBody | null;
  /** `whyRewritten`. */
  readonly rewritten: string | null;
  /**
   * The newest checkpoint that a known key has signed; null when there is none. It need not be read when the log was
   * rewritten or when all that was pruned is accepted.
   */
  readonly signed: CheckpointBody | null;
}

export interface PlannedCheckpoint {
  readonly checkpoint: KeptCheckpoint;
  /** False when the last checkpoint already covers the log. */
  readonly isNew: boolean;
}

/**
 * The checkpoint that covers a log that is not empty. A log that was rewritten since it was last signed is not signed
 * again: that would hide the change.
 */
export function planCheckpoint(state: LogState, { signer, at, confirms }: SigningInput): PlannedCheckpoint {
  const { summary, last, rewritten } = state;
  const { previous } = summary;
  const trouble = rewritten ?? whyUnconfirmed(state, confirms);
  const signs = trouble === null ? signer : { why: trouble };
  if (previous !== null && last !== null && saysTheSame(last, summary, signs))
    return { checkpoint: previous, isNew: false };
  return { checkpoint: makeCheckpoint(summary, signs, at), isNew: true };
}

const VERIFY = "baton audit verify tells more";

interface HeldParts {
  /** The log still has what its last checkpoint covers, or there is none. */
  readonly holdsLast: boolean;
  /**
   * The heads that were remembered, and whether the log still has the checkpoint of each (`readSeen`) and what it covers.
   * They need not be read when the last checkpoint is not held.
   */
  readonly seen: readonly { readonly head: SeenHead; readonly isHeld: boolean }[];
}

/** Why the log is not the one that was signed before; null when it is. */
export function whyRewritten(log: string, { holdsLast, seen }: HeldParts): string | null {
  if (!holdsLast) return `the log no longer holds what its last checkpoint says: ${VERIFY}`;
  for (const { head, isHeld } of seen) {
    const why = whyNotSeen(log, head, isHeld);
    if (why !== null) return `${why}: ${VERIFY}`;
  }
  return null;
}

/** Why the log is not the one that this head was remembered of; null when it is. */
function whyNotSeen(log: string, head: SeenHead, isHeld: boolean): string | null {
  if (head.log !== log) return "this repository had another log before";
  if (head.movedTo !== undefined) return "this log was signed in another place before";
  return isHeld ? null : "the log no longer holds what was last signed here";
}

/** The body of the checkpoint that a head was remembered of; null when the log has another one by its number. */
export function readSeen(kept: KeptCheckpoint, { digest }: SeenHead): CheckpointBody | null {
  return digestOf(kept) === digest ? readCheckpoint(kept) : null;
}

function whyUnconfirmed({ summary, signed }: LogState, confirms: SigningInput["confirms"]): string | null {
  if (signed === null || confirms === "all") return null;
  const isConfirmed =
    signed.pruned + confirms.entries === summary.pruned &&
    (signed.prunedTexts ?? 0) + confirms.texts === summary.prunedTexts;
  return isConfirmed ? null : `something was pruned, and no signature confirms it: ${VERIFY}`;
}

/** The same state is signed again only when the last checkpoint is unsigned. */
function saysTheSame(last: CheckpointBody, summary: LogSummary, signer: Signer | NoSigner): boolean {
  const { register, position, pruned, prunedTexts } = summary;
  const isSigned = last.key !== null;
  return (
    last.version === 2 &&
    last.position === position &&
    last.register.number === register.number &&
    last.register.hash === register.hash &&
    last.pruned === pruned &&
    (last.prunedTexts ?? 0) === prunedTexts &&
    (isSigned || "why" in signer)
  );
}
