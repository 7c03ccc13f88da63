import type { Handoff } from "../protocol/handoff.ts";
import type { Claim } from "./claim.ts";
import { authorClaims } from "./claims/author-claims.ts";
import { checkClaims } from "./claims/check-claims.ts";
import { fileClaims } from "./claims/file-claims.ts";
import { findingClaims } from "./claims/finding-claims.ts";
import { gitClaims } from "./claims/git-claims.ts";

/** Everything a handoff says that could be untrue, whatever dialect said it. */
export function listClaims(handoff: Handoff): Claim[] {
  return [
    ...fileClaims(handoff),
    ...gitClaims(handoff),
    ...findingClaims(handoff),
    ...checkClaims(handoff),
    ...authorClaims(handoff),
  ];
}
