/**
 * The reason of a system error in plain words, without the path: the caller names the path in its own words, or
 * not at all.
 */
export function plainReason(error: unknown): string {
  const { code, syscall, message } = error as Partial<Record<"code" | "syscall" | "message", unknown>>;
  const words = typeof code === "string" && Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  if (words !== undefined) return words;
  if (syscall !== undefined) return `the system says ${String(code)}`;
  return typeof message === "string" ? message : String(error);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file, not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ELOOP: "it is a link",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EEXIST: "something else has this name",
  EIO: "the disk cannot be read or written",
};
