/** Why this cannot be the id of a commit, or null when it can. */
export function objectionToSha(sha: string): string | null {
  if (/^[0-9a-f]{7,64}$/i.test(sha)) return null;
  return /^[0-9a-f]+$/i.test(sha)
    ? "a commit id has 7 to 64 hexadecimal digits"
    : "it is not hexadecimal, so it is no commit id";
}

/** Hexadecimal, but too short to identify a commit. */
export function isShortSha(sha: string): boolean {
  return /^[0-9a-f]{1,6}$/i.test(sha);
}

const MAX_BRANCH = 244;

/** What `git check-ref-format --branch` refuses, and `@` and `HEAD`, which are no names of branches. */
const BRANCH_OBJECTIONS: readonly (readonly [RegExp, string])[] = [
  [/^$/, "it is empty"],
  [/^-/, "it begins with -, like an option"],
  [/[\0-\x20\x7f~^:?*[\\]/, "it holds a character that no branch may have"],
  [/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u, "it holds control characters"],
  [/\.\./, "it holds .."],
  [/@\{/, "it holds @{"],
  [/^@$|^HEAD$/, "it is another word for the present commit"],
  [/^\/|\/$|\/\//, "it begins or ends with /, or holds //"],
  [/(?:^|\/)\./, "a part of it begins with a dot"],
  [/\.$/, "it ends with a dot"],
  [/\.lock(?:\/|$)/, "a part of it ends with .lock"],
];

/** Why git does not allow this name of a branch, or null when it does. */
export function objectionToBranch(name: string): string | null {
  if (name.length > MAX_BRANCH) return `it is longer than ${MAX_BRANCH} characters`;
  return BRANCH_OBJECTIONS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
