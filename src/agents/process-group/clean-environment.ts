import { delimiter, isAbsolute } from "node:path";

const ALWAYS = ["HOME", "LANG", "LC_ALL", "TMPDIR"];

/** Whoever has the address of the store can change what every run has done: no workflow can name it. */
const NEVER = ["BATON_STORE"];

/** What a program is given of our own environment: nothing that could be a secret unless it is named. */
export function cleanEnvironment(inherit: readonly string[] = []): Record<string, string> {
  const environment: Record<string, string> = { PATH: trustedPath(), TERM: "dumb" };
  for (const name of [...ALWAYS, ...inherit]) {
    if (NEVER.includes(name)) continue;
    const value = process.env[name];
    if (value !== undefined && name !== "PATH") environment[name] = value;
  }
  return environment;
}

/** A relative place on the path would let a workspace decide which program `git` is. */
function trustedPath(): string {
  return trustedFolders().join(delimiter);
}

/** Where programs are looked for. */
export function trustedFolders(): string[] {
  const folders = (process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter);
  return folders.filter((folder) => isAbsolute(folder));
}
