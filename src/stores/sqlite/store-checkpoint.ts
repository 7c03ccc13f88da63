import { type CheckpointBody, type LogSummary, readCheckpoint, readSigned } from "../../audit/checkpoint.ts";
import {
  type PlannedCheckpoint,
  type SigningInput,
  planCheckpoint,
  readSeen,
  whyRewritten,
} from "../../audit/plan-checkpoint.ts";
import { EMPTY_REGISTER, readRegisterEntry } from "../../audit/register.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { KnownKey, SeenHead } from "../../ports/log-signer.ts";
import { checkpointOf, hashOf, integerOf, registerRowOf, type Row, textColumn } from "./rows.ts";
import type { LogStatements } from "./statements.ts";

/**
 * Reads what the decision needs, inside a transaction, so that the signature covers one state of the log. Null for an
 * empty log.
 */
export function planNext(statements: LogStatements, input: SigningInput): PlannedCheckpoint | null {
  const kept = statements.lastCheckpoint.get();
  const previous = kept === undefined ? null : checkpointOf(kept);
  const last = previous === null ? null : readCheckpoint(previous);
  const summary = summaryOf(statements, previous, last);
  if (summary.register.number === 0) return null;
  const holdsLast = previous === null || (last !== null && holds(statements, last));
  const heads = holdsLast ? input.seen(summary.log) : [];
  const seen = heads.map((head) => ({ head, isHeld: holdsSeen(statements, head) }));
  const rewritten = whyRewritten(summary.log, { holdsLast, seen });
  const needsSigned = rewritten === null && input.confirms !== "all";
  const signed = needsSigned ? lastSigned(statements, previous, input.keys) : null;
  return planCheckpoint({ summary, last, rewritten, signed }, input);
}

/** Plans and stores inside the write transaction of something that must not be there without its signature. */
export function signNow(statements: LogStatements, input: SigningInput): KeptCheckpoint | null {
  const planned = planNext(statements, input);
  if (planned?.isNew === true) storeCheckpoint(statements, planned.checkpoint);
  return planned?.checkpoint ?? null;
}

/** Inside a write transaction. False when another process has stored one meanwhile, which has to come before. */
export function storeCheckpoint(statements: LogStatements, { number, body, signature }: KeptCheckpoint): boolean {
  const last = statements.lastCheckpoint.get();
  if (number !== (last === undefined ? 0 : integerOf(last, "number")) + 1) return false;
  statements.insertCheckpoint.run(number, body, signature);
  return true;
}

function summaryOf(
  statements: LogStatements,
  previous: KeptCheckpoint | null,
  body: CheckpointBody | null,
): LogSummary {
  const ledger = statements.ledger.get();
  if (ledger === undefined) throw new StoreError("damaged", "the ledger of the log is missing");
  const last = statements.lastNumbers.get() ?? {};
  const register = statements.registerHead.get();
  const changed = statements.changedRuns.all(Math.max(body?.position ?? 0, closedPosition(statements)));
  return {
    log: textColumn(ledger, "log"),
    pruned: integerOf(ledger, "pruned"),
    prunedTexts: integerOf(ledger, "pruned_texts"),
    position: integerOf(statements.lastPosition.get() ?? {}, "position"),
    register: register === undefined ? EMPTY_REGISTER : registerRowOf(register),
    runs: changed.map((row) => ({
      run: textColumn(row, "run"),
      sequence: integerOf(row, "sequence"),
      hash: hashOf(row, "head"),
    })),
    counts: {
      runs: integerOf(last, "runs"),
      letters: integerOf(last, "letters"),
      texts: integerOf(last, "texts"),
      workflows: integerOf(last, "workflows"),
    },
    previous,
  };
}

/** The one chain of older versions was closed, and no checkpoint covers that yet. */
export function isChainUnsigned({ lastCheckpoint, registerAt }: LogStatements): boolean {
  const last = lastCheckpoint.get();
  const body = last === undefined ? null : readCheckpoint(checkpointOf(last));
  return body?.version !== 2 && registerAt.get(1) !== undefined;
}

/** Where the one chain of older versions ends: its runs have no heads of their own there. */
function closedPosition({ registerAt }: LogStatements): number {
  const first = registerAt.get(1);
  const entry = first === undefined ? null : readRegisterEntry(textColumn(first, "body"));
  return entry?.kind === "closed" ? entry.position : 0;
}

function holdsSeen(statements: LogStatements, head: SeenHead): boolean {
  const row = statements.checkpoint.get(head.checkpoint);
  const body = row === undefined ? null : readSeen(checkpointOf(row), head);
  return body !== null && holds(statements, body);
}

/** The newest checkpoint that a known key has signed; null when there is none. */
function lastSigned(
  { checkpointsBefore }: LogStatements,
  last: KeptCheckpoint | null,
  keys: readonly KnownKey[],
): CheckpointBody | null {
  for (let before = (last?.number ?? 0) + 1; before > 1;) {
    const page = checkpointsBefore.all(before, FEW).map(checkpointOf);
    for (const kept of page) {
      const body = readSigned(kept, keys);
      if (body !== null) return body;
    }
    before = page.at(-1)?.number ?? 0;
  }
  return null;
}

const FEW = 10;

function holds(statements: LogStatements, body: CheckpointBody): boolean {
  if (body.version === 1) return hasHash(statements.hashAt.get(body.position), body.hash);
  const { number, hash } = body.register;
  return (
    hasHash(statements.registerAt.get(number), hash) &&
    body.runs.every((head) => hasHash(statements.hashOf.get(head.run, head.sequence), head.hash))
  );
}

function hasHash(row: Row | undefined, hash: string): boolean {
  return row !== undefined && hashOf(row, "hash") === hash;
}
