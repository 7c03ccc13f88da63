import type { Handoff } from "../protocol/handoff.ts";
import { type Claim, standsAt } from "./claim.ts";
import { checkClaims } from "./claims/check-claims.ts";
import { figureClaims } from "./claims/figure-claims.ts";
import { fileClaims } from "./claims/file-claims.ts";
import { findingClaims } from "./claims/finding-claims.ts";
import { gitClaims } from "./claims/git-claims.ts";
import { knowledgeClaims } from "./claims/knowledge-claims.ts";
import type { JsonPath } from "../shared/json-value.ts";
import { quote, readPlace } from "./wording.ts";

/** All statements of a handoff that can be checked, of any dialect. */
export function listClaims(handoff: Handoff): Claim[] {
  return [
    ...fileClaims(handoff),
    ...gitClaims(handoff),
    ...findingClaims(handoff),
    ...knowledgeClaims(handoff),
    ...checkClaims(handoff),
    ...figureClaims(handoff),
    ...authorClaims(handoff),
  ];
}

/** What an agent states about its own work: what it read, which skills it used, in which phase, when. */
function authorClaims(handoff: Handoff): Claim[] {
  const { verified = [], skills = [], library_skills = [], actions = [] } = handoff.work ?? {};
  return [
    ...verified.map((text, at) => sourceClaim(["work", "verified", at], text)),
    ...skills.map((name, at) => skillClaim(["work", "skills", at], name)),
    ...library_skills.map((name, at) => skillClaim(["work", "library_skills", at], name)),
    ...actions.map((action, at) => actionClaim(["work", "actions", at], action)),
    ...phaseClaim(handoff.phase),
    ...timeClaim(handoff.at),
  ];
}

/** It cannot be observed that the source was read, only that it exists. */
function sourceClaim(path: JsonPath, text: string): Claim {
  const says = `The source ${quote(text)} is there to be read.`;
  return { kind: "source", ...standsAt(path), says, about: { of: "source", ...readPlace(text) } };
}

function skillClaim(path: JsonPath, name: string): Claim {
  return { kind: "skill", ...standsAt(path), says: `The skill ${quote(name)} was used.`, about: { of: "skill", name } };
}

function actionClaim(path: JsonPath, action: string): Claim {
  return { kind: "check", ...standsAt(path), says: `Done: ${quote(action)}`, about: { of: "words" } };
}

function phaseClaim(phase: string | undefined): Claim[] {
  if (phase === undefined) return [];
  const says = `The phase is ${quote(phase)}.`;
  return [{ kind: "phase", ...standsAt(["phase"]), says, about: { of: "phase", name: phase } }];
}

function timeClaim(at: string | undefined): Claim[] {
  if (at === undefined) return [];
  const says = `It was written at ${quote(at)}.`;
  return [{ kind: "time", ...standsAt(["at"]), says, about: { of: "time", at } }];
}
