import { groupBy } from "../shared/group-by.ts";
import type { Finding } from "./finding.ts";
import type { LocatedFinding } from "./judge-block.ts";

/** A finding, with those that say the same of other entries of its list. */
export interface GroupedFinding {
  readonly first: LocatedFinding;
  readonly more: readonly LocatedFinding[];
}

/** So many of a kind are told one by one. */
const MAX_TOLD = 3;

/** Ruling 39: where the same rule is broken the same way more than three times in one list, it is told once. */
export function groupFindings(findings: readonly LocatedFinding[]): GroupedFinding[] {
  if (findings.length <= MAX_TOLD) return findings.map((first) => ({ first, more: [] }));
  const groups = groupBy(findings, ({ finding }) => kindOf(finding));
  return findings.flatMap((located) => {
    const [first = located, ...more] = groups.get(kindOf(located.finding)) ?? [];
    if (more.length < MAX_TOLD || !isInList(located.finding)) return [{ first: located, more: [] }];
    return located === first ? [{ first, more }] : [];
  });
}

function isInList({ path }: Finding): boolean {
  return path.some((step) => typeof step === "number");
}

/** The same for entries of one list: their number is left out. */
function kindOf({ code, rule, severity, path }: Finding): string {
  const last = path.findLastIndex((step) => typeof step === "number");
  return JSON.stringify([code, rule, severity, path.map((step, index) => (index === last ? "*" : step))]);
}
