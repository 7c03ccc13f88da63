import { isAbsolute } from "node:path";

/**
 * The operator's own settings, outside of every repository. A relative XDG_CONFIG_HOME is not valid, says its
 * specification: it would let a repository bring trust along.
 */
export function configFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const given = environment["XDG_CONFIG_HOME"] ?? "";
  return `${isAbsolute(given) ? given : `${environment["HOME"] ?? "/root"}/.config`}/baton`;
}
