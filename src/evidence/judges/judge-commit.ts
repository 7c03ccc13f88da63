import { isShortSha, objectionToSha } from "../claimed-name.ts";
import type { CommitSight } from "../sightings.ts";
import { counted, quote } from "../wording.ts";
import {
  type Court,
  type Finding,
  NO_PROCEDURE,
  ON_SIGHT,
  SHALLOW,
  TOO_SHORT,
  confirmed,
  refuted,
  unverifiable,
} from "./finding.ts";

const PROCEDURE = "look the commit up in the repository";

/** A commit is in the history of HEAD, has this message, and was made since the base. */
export function judgeCommit(sha: string, message: string | null, court: Court): Finding {
  const { sightings } = court;
  if (isShortSha(sha)) return unverifiable(ON_SIGHT, TOO_SHORT);
  const why = objectionToSha(sha);
  if (why !== null) return refuted(ON_SIGHT, `Nobody looks for ${quote(sha)}: ${why}.`);
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = sightings.commits.get(sha);
  if (seen === undefined) return unverifiable(PROCEDURE, "Nobody looked for it.");
  if (seen === null) return notFound("The repository has no such commit.", court);
  if (message !== null && !isMessage(message, seen.message))
    return refuted(PROCEDURE, `Its message is: ${quote(subjectOf(seen.message))}`);
  return seen.isInHead ? judgeInHistory(seen, court) : judgeElsewhere(seen.isOnTarget, court);
}

function judgeInHistory({ sha, isSinceBase }: CommitSight, { sightings }: Court): Finding {
  const { base, baseCommit } = sightings;
  if (base !== null && isSinceBase) return confirmed(PROCEDURE, `It is in the history since ${base}.`);
  if (base === null || sightings.commitsSinceBase === null)
    return unverifiable(PROCEDURE, "It is in the history; whether this work made it cannot be seen.");
  return sha === baseCommit
    ? unverifiable(PROCEDURE, `It is the commit that the work began with: ${base}.`)
    : unverifiable(PROCEDURE, `It is in the history, but older than ${base}.`);
}

function judgeElsewhere(isOnTarget: boolean, court: Court): Finding {
  const { target } = court.sightings;
  if (isOnTarget)
    return unverifiable(PROCEDURE, `It is on ${target ?? "the target"}, but not in the history of the workspace.`);
  return notFound("The repository has it, but not in the history of the workspace's HEAD.", court);
}

function notFound(evidence: string, { sightings }: Court): Finding {
  return sightings.isShallow === true
    ? unverifiable(PROCEDURE, `${evidence} ${SHALLOW}`)
    : refuted(PROCEDURE, evidence);
}

/** The subject, the whole message, a part from its beginning on, or a subject that was cut off with an ellipsis. */
function isMessage(claimed: string, message: string): boolean {
  const said = plain(claimed);
  const whole = plain(message);
  const subject = plain(subjectOf(message));
  if (said === subject || said === whole) return true;
  const cut = /^(.+?)\s*(?:\u2026|\.\.\.)$/.exec(said)?.[1];
  if (cut !== undefined) return subject.startsWith(cut);
  return said.length > subject.length && whole.startsWith(`${said} `) && said.startsWith(`${subject} `);
}

function plain(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/g, " ").trim();
}

/** Git takes the lines up to the first empty one for the subject. */
function subjectOf(message: string): string {
  return (
    message
      .replaceAll("\r\n", "\n")
      .trim()
      .split(/\n\s*\n/)[0] ?? ""
  );
}

/**
 * Some count what was merged in from the target branch, and the merges, some only their own; and some the commits
 * that bring nothing but a handoff, which is written before it is committed.
 */
export function judgeCommitsAdded(count: number, court: Court): Finding {
  const { base, target, isShallow, commitsSinceBase: all, ownCommitsSinceBase } = court.sightings;
  const procedure = `count the commits since ${base ?? "nothing"}`;
  if (all === null)
    return unverifiable(
      procedure,
      isShallow === true ? `They cannot be counted. ${SHALLOW}` : "There is no commit to count from.",
    );
  const own = ownCommitsSinceBase ?? all;
  const handing = handingOver(court);
  const others = own === all ? "" : `, ${own} without merges and what ${target ?? "the target"} has`;
  const only = handing === 0 ? "" : `, of which ${handing} only ${handing === 1 ? "brings" : "bring"} a handoff`;
  const evidence = `There ${all === 1 ? "is" : "are"} ${counted(all, "commit")}${others}${only}.`;
  const isTrue = [all, own].some((most) => count <= most && count >= most - handing);
  return isTrue ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

/** How many commits bring nothing but what handing over itself makes. */
function handingOver({ sightings, ownFiles }: Court): number {
  const own = new Set(ownFiles);
  const isHandoff = (files: readonly string[]): boolean => files.length > 0 && files.every((path) => own.has(path));
  return (sightings.ownCommitFiles ?? []).filter(isHandoff).length;
}
