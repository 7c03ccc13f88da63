import { objectionToSha } from "../claimed-name.ts";
import { counted, quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

const PROCEDURE = "look the commit up in the repository";

/** A commit is in the history of HEAD, has this message, and was made since the base. */
export function judgeCommit(sha: string, message: string | null, { sightings }: Court): Finding {
  const why = objectionToSha(sha);
  if (why !== null) return refuted(ON_SIGHT, `Nobody looks for ${quote(sha)}: ${why}.`);
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = sightings.commits.get(sha);
  if (seen === undefined) return unverifiable(PROCEDURE, "Nobody looked for it.");
  if (seen === null) return refuted(PROCEDURE, "The repository has no such commit.");
  if (message !== null && !isMessage(message, seen.message))
    return refuted(PROCEDURE, `Its message is: ${quote(subjectOf(seen.message))}`);
  if (!seen.isInHead) return judgeElsewhere(seen.isOnTarget, sightings.target);
  if (sightings.base === null || sightings.commitsSinceBase === null)
    return unverifiable(PROCEDURE, "It is in the history; whether this work made it cannot be seen.");
  if (!seen.isSinceBase) return unverifiable(PROCEDURE, `It is in the history, but older than ${sightings.base}.`);
  return confirmed(PROCEDURE, `It is in the history since ${sightings.base}.`);
}

function judgeElsewhere(isOnTarget: boolean, target: string | null): Finding {
  if (isOnTarget)
    return unverifiable(PROCEDURE, `It is on ${target ?? "the target"}, but not in the history of the workspace.`);
  return refuted(PROCEDURE, "The repository has it, but not in the history of the workspace's HEAD.");
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

/** Some count what was merged in from the target branch, and the merges, some only their own. */
export function judgeCommitsAdded(count: number, { sightings }: Court): Finding {
  const procedure = `count the commits since ${sightings.base ?? "nothing"}`;
  const { commitsSinceBase: all, ownCommitsSinceBase: own = all } = sightings;
  if (all === null) return unverifiable(procedure, "There is no commit to count from.");
  const others = own === all ? "" : `, ${own ?? 0} without merges and what ${sightings.target ?? "the target"} has`;
  const evidence = `There ${all === 1 ? "is" : "are"} ${counted(all, "commit")}${others}.`;
  return count === all || count === own ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}
