import {
  type CheckpointBody,
  type LogStanding,
  digestOf,
  makeCheckpoint,
  readCheckpoint,
} from "../../audit/checkpoint.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { NoSigner, SeenHead, Signer } from "../../ports/notary.ts";
import { checkpointOf } from "./open-snapshot.ts";
import { hashOf, headOf, integerOf, textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

export interface Notarial {
  readonly signer: Signer | NoSigner;
  readonly seen: readonly SeenHead[];
  readonly at: number;
}

/**
 * Inside a transaction, if only to read: what is signed is how the log stood at one moment. Null for an empty log.
 * What was rewritten since it was last signed is not signed again: that would cover the tracks.
 */
export function planCheckpoint(statements: Statements, { signer, seen, at }: Notarial): PlannedCheckpoint | null {
  const standing = standingOf(statements);
  if (standing.head.position === 0) return null;
  const { previous } = standing;
  const last = previous === null ? null : readCheckpoint(previous);
  const trouble = whyNotContinued(statements, standing, last, seen);
  const signs = trouble === null ? signer : { why: trouble };
  if (previous !== null && last !== null && saysTheSame(last, standing, signs))
    return { checkpoint: previous, isNew: false };
  return { checkpoint: makeCheckpoint(standing, signs, at), isNew: true };
}

export interface PlannedCheckpoint {
  readonly checkpoint: KeptCheckpoint;
  /** False when the last one says already what there is to say. */
  readonly isNew: boolean;
}

/** Inside a transaction that writes. False when another process has made one meanwhile: it names the one before. */
export function storeCheckpoint(statements: Statements, { number, body, signature }: KeptCheckpoint): boolean {
  const last = statements.lastCheckpoint.get();
  if (number !== (last === undefined ? 0 : integerOf(last, "number")) + 1) return false;
  statements.insertCheckpoint.run(number, body, signature);
  return true;
}

function standingOf(statements: Statements): LogStanding {
  const ledger = statements.ledger.get();
  if (ledger === undefined) throw new StoreError("damaged", "the ledger of the log is gone");
  const last = statements.lastNumbers.get() ?? {};
  const previous = statements.lastCheckpoint.get();
  return {
    log: textOf(ledger, "log"),
    pruned: integerOf(ledger, "pruned"),
    prunedTexts: integerOf(ledger, "pruned_texts"),
    head: headOf(statements.head.get()),
    counts: {
      runs: integerOf(last, "runs"),
      letters: integerOf(last, "letters"),
      texts: integerOf(last, "texts"),
      workflows: integerOf(last, "workflows"),
    },
    previous: previous === undefined ? null : checkpointOf(previous),
  };
}

/** A new signature on the same head is worth it only when there was none. */
function saysTheSame(last: CheckpointBody, standing: LogStanding, signer: Signer | NoSigner): boolean {
  const { head, pruned, prunedTexts } = standing;
  const isSigned = last.key !== null;
  return (
    last.position === head.position &&
    last.hash === head.hash &&
    last.pruned === pruned &&
    (last.prunedTexts ?? 0) === prunedTexts &&
    (isSigned || "why" in signer)
  );
}

const VERIFY = "baton audit verify tells more";

function whyNotContinued(
  statements: Statements,
  { log, previous }: LogStanding,
  last: CheckpointBody | null,
  seen: readonly SeenHead[],
): string | null {
  if (previous !== null && (last === null || !holds(statements, last)))
    return `the log no longer holds what its last checkpoint says: ${VERIFY}`;
  for (const head of seen) {
    if (head.log !== log) return `another log stood here before: ${VERIFY}`;
    const kept = statements.checkpoint.get(head.checkpoint);
    if (kept === undefined || digestOf(checkpointOf(kept)) !== head.digest || !holds(statements, head))
      return `the log no longer holds what was last signed here: ${VERIFY}`;
  }
  return null;
}

function holds(statements: Statements, { position, hash }: { position: number; hash: string }): boolean {
  const row = statements.hashAt.get(position);
  return row !== undefined && hashOf(row, "hash") === hash;
}
