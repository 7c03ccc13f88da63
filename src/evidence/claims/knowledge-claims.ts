import type { Handoff } from "../../protocol/handoff.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import { type Claim, type LineRange, standsAt } from "../claim.ts";
import { mayBePattern } from "../path-pattern.ts";
import { quote, readPlace } from "../wording.ts";

/** The places that patterns, gotchas and files to read name. */
export function knowledgeClaims({ knowledge, files_to_read = [] }: Handoff): Claim[] {
  const { patterns = [], gotchas = [] } = knowledge ?? {};
  return [
    ...patterns.flatMap(({ location }, at) => namedPlace(["knowledge", "patterns", at, "location"], location)),
    ...gotchas.flatMap(({ discovered_in }, at) =>
      namedPlace(["knowledge", "gotchas", at, "discovered_in"], discovered_in),
    ),
    ...files_to_read.flatMap(({ file }, at) => namedPlace(["files_to_read", at, "file"], file)),
  ];
}

/** These fields may hold words, such as `Reading the code`: only what looks like a path is a claim. */
function namedPlace(path: JsonPath, text: string | undefined): Claim[] {
  const place = readPlace(text?.trim() ?? "");
  if (!/^[^\s,;()<>|"'`#]+$/.test(place.path) || !/[./]/.test(place.path) || mayBePattern(place.path)) return [];
  const says = `There is a place ${quote(text ?? "")}.`;
  return [{ kind: "place", ...standsAt(path), says, about: { of: "place", ...place, isPast: false, isNamed: true } }];
}

/** True of `src/cart.ts` and `cart.ts:3`; `Next.js`, `CI/CD` and `src/cart` may be the name of something else. */
export function namesFile({ path, lines }: { readonly path: string; readonly lines: LineRange | null }): boolean {
  return /\.[A-Za-z]\w{0,9}$/.test(path) && (lines !== null || path.includes("/"));
}

/** A file of a dependency, or a page of a site, begins with a folder that the project does not have. */
export function topFolderOf(path: string): string {
  return path.split("/")[0] ?? path;
}
