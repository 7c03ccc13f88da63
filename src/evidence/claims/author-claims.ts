import type { Handoff } from "../../protocol/handoff.ts";
import type { Claim } from "../claim.ts";
import { quote } from "../wording.ts";
import { readPlace } from "./read-range.ts";

/** What an agent says of its own doing: what it read, which skills it used, in which phase, when. */
export function authorClaims(handoff: Handoff): Claim[] {
  const { verified = [], skills = [], library_skills = [], actions = [] } = handoff.work ?? {};
  return [
    ...verified.map((text, at) => sourceClaim(`work.verified.${at}`, text)),
    ...skills.map((name, at) => skillClaim(`work.skills.${at}`, name)),
    ...library_skills.map((name, at) => skillClaim(`work.library_skills.${at}`, name)),
    ...actions.map((action, at) => actionClaim(`work.actions.${at}`, action)),
    ...phaseClaim(handoff.phase),
    ...timeClaim(handoff.at),
  ];
}

/** That it was read nobody can see; that there is something to be read, one can. */
function sourceClaim(where: string, text: string): Claim {
  const says = `The source ${quote(text)} is there to be read.`;
  return { kind: "source", where, says, about: { of: "source", ...readPlace(text) } };
}

function skillClaim(where: string, name: string): Claim {
  return { kind: "skill", where, says: `The skill ${quote(name)} was used.`, about: { of: "skill", name } };
}

function actionClaim(where: string, action: string): Claim {
  return { kind: "check", where, says: `Done: ${quote(action)}`, about: { of: "words" } };
}

function phaseClaim(phase: string | undefined): Claim[] {
  if (phase === undefined) return [];
  return [
    { kind: "phase", where: "phase", says: `The phase is ${quote(phase)}.`, about: { of: "phase", name: phase } },
  ];
}

function timeClaim(at: string | undefined): Claim[] {
  if (at === undefined) return [];
  return [{ kind: "time", where: "at", says: `It was written at ${quote(at)}.`, about: { of: "time", at } }];
}
