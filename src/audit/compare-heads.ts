import type { SeenHead } from "../ports/log-signer.ts";
import type { LogSnapshot } from "../ports/log-snapshot.ts";
import { digestOf } from "./checkpoint.ts";
import type { Trust } from "./compose-report.ts";
import { entriesIn, type FindingCollector } from "./findings.ts";
import type { ChainHead } from "./hash-chain.ts";
import type { CheckpointWalk } from "./walk-checkpoints.ts";
import type { ChainWalk } from "./walk-log.ts";

/** Compares with the heads that were kept outside of the log, where an edit of the log does not reach. */
export async function compareSeen(
  snapshot: LogSnapshot,
  { seen, head }: Trust,
  { chain, checkpoints }: { readonly chain: ChainWalk; readonly checkpoints: CheckpointWalk },
  findings: FindingCollector,
): Promise<void> {
  for (const last of seen) {
    const { position, movedTo } = last;
    if (last.log !== snapshot.log)
      findings.add("replaced", `this repository had another log, with ${entriesIn(position)}`, { position });
    else if (!(await hasCheckpoint(snapshot, last))) noteCutOff(last, chain, checkpoints.last?.number ?? 0, findings);
    if (last.log === snapshot.log && movedTo !== undefined)
      findings.add("replaced", `this log was signed in ${last.place}, and stands in ${movedTo} now`, { position });
  }
  if (head !== undefined && !chain.hasWanted && !checkpoints.hasWanted) noteWrongHead(head, chain, findings);
}

async function hasCheckpoint(snapshot: LogSnapshot, { checkpoint, digest }: SeenHead): Promise<boolean> {
  const [kept] = await snapshot.checkpoints(checkpoint - 1, 1);
  return kept?.number === checkpoint && digestOf(kept) === digest;
}

function noteCutOff(
  { position, checkpoint }: SeenHead,
  chain: ChainWalk,
  lastCheckpoint: number,
  findings: FindingCollector,
): void {
  const where = { row: `checkpoint ${checkpoint}`, position };
  if (position > chain.position)
    findings.add("cut-off", endsBefore(position, chain, "was signed here last"), { position });
  else if (lastCheckpoint < checkpoint)
    findings.add("cut-off", `checkpoint ${checkpoint} was signed here last, and is not there`, where);
  else findings.add("checkpoint-missing", "the checkpoint that was signed here last is gone or changed", where);
}

/** A head that was given is neither an entry nor a checkpoint of the log. */
export function noteWrongHead({ position, hash }: ChainHead, chain: ChainWalk, findings: FindingCollector): void {
  if (position > chain.position)
    findings.add("cut-off", endsBefore(position, chain, "is the head that was given"), { position });
  else
    findings.add(
      "wrong-head",
      `the hash ${hash.slice(0, 12)} at position ${position} is the head that was given, but the log has another hash there`,
      { position },
    );
}

function endsBefore(position: number, chain: ChainWalk, what: string): string {
  return `position ${position} ${what}, but the log ends at ${chain.position}`;
}
