import { folderOf, limitedEffort, pathMatcher } from "../evidence/path-pattern.ts";
import type { ChangeSight, PatternSight } from "../evidence/sightings.ts";
import type { Shadow } from "./shadow.ts";

/** More patterns than these no handoff needs; the others are not looked at. */
const MOST_PATTERNS = 100;

export async function lookAtPatterns(
  shadow: Shadow,
  patterns: readonly string[],
  changes: ReadonlyMap<string, ChangeSight>,
  untracked: readonly string[],
): Promise<Map<string, PatternSight>> {
  const seen = new Map<string, PatternSight>();
  if (patterns.length === 0) return seen;
  const output = await shadow.answer({ args: ["ls-files", "-z"] });
  const listed = new Set([...output.split("\0").filter((path) => path !== ""), ...untracked]);
  for (const [path, { change }] of changes) if (change === "deleted") listed.delete(path);
  // Node's own matcher takes forever over a pattern with many stars.
  const effort = limitedEffort(listed.size);
  for (const pattern of patterns.slice(0, MOST_PATTERNS)) {
    const folder = folderOf(pattern);
    const fits = pathMatcher(pattern, effort);
    const matching = [...listed].filter((path) => (folder === null || path.startsWith(`${folder}/`)) && fits(path));
    if (effort.left <= 0) break;
    seen.set(pattern, {
      count: matching.length,
      changed: matching.filter((path) => changes.has(path)).length,
      isEverything: matching.length > 0 && matching.length === listed.size,
    });
  }
  return seen;
}
