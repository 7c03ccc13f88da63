import { ForgeError } from "../ports/forge.ts";
import { branchName } from "../workflow/file/words.ts";

/** The full name of a branch. What is none never reaches git or an address: it could mean something else there. */
export function refOf(branch: string): string {
  if (branchName.accepts(branch)) return `refs/heads/${branch}`;
  throw new ForgeError(`${JSON.stringify(branch.slice(0, 80))} is not the name of a branch`);
}

/** Numbers of issues that a text names, `#71`. */
export function namedNumbers(words: string): number[] {
  return [...words.matchAll(/(?<![\w&])#([1-9]\d{0,8})\b/g)].map(([, number]) => Number(number));
}
