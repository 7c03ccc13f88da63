import type { Claim } from "../evidence/claim.ts";
import {
  type ChangedText,
  changedGates,
  mayDefineGate,
  packageWithRules,
  scriptsOfPackage,
} from "../evidence/gate-files.ts";
import { mayExclude } from "../evidence/exclusion-comments.ts";
import { type Evidence, type Observations, ONLY_CHANGES, type WrittenFiles } from "../evidence/observations.ts";
import { usedTools } from "../evidence/used-tools.ts";
import type { Ports } from "../ports/ports.ts";
import type { Base, Repository } from "../ports/repository.ts";

const PACKAGE = "package.json";
const MAX_TEXT = 1 << 20;
/** So many files that define gates change in no work that a person could read. */
const MAX_FILES = 100;

/** Looks at what gates depend on: files that define them, packages, comments in the code. Only what a claim is about. */
export async function lookAtDefinitions(
  { repository, workspace }: Pick<Ports, "repository" | "workspace">,
  directory: string,
  base: Base | null,
  { changes }: Observations,
  claims: readonly Claim[],
): Promise<Pick<Evidence, "definitions" | "written" | "sources">> {
  if (base === null) return {};
  const commands = claims.flatMap(({ about }) => (about.of === "gate-files" ? about.commands : []));
  const folders = claims.flatMap(({ about }) => (about.of === "gate-folders" ? about.folders : []));
  const since = folders.length === 0 ? undefined : base.noted?.at;
  const paths = [...changes.keys()].filter(mayExclude).sort();
  return {
    ...(commands.length > 0 && { definitions: await readDefinitions(repository, directory, base, changes, commands) }),
    ...(since !== undefined && { written: await lookAtFolders(workspace, directory, folders, since) }),
    ...(claims.some(({ about }) => about.of === "exclusions") && {
      sources: await repository.texts(directory, base.tree, paths.slice(0, MAX_FILES), MAX_TEXT),
    }),
  };
}

async function lookAtFolders(
  workspace: Ports["workspace"],
  directory: string,
  folders: readonly string[],
  since: number,
): Promise<NonNullable<Evidence["written"]>> {
  const written = new Map<string, WrittenFiles>();
  for (const folder of folders) {
    const found = await workspace.writtenSince(directory, folder, since);
    if (found !== null) written.set(folder, found);
  }
  return written;
}

async function readDefinitions(
  repository: Repository,
  directory: string,
  base: Base,
  changes: Observations["changes"],
  commands: readonly (readonly string[])[],
): Promise<NonNullable<Evidence["definitions"]>> {
  const [own] = await repository.texts(directory, base.tree, [PACKAGE], MAX_TEXT);
  const scripts = scriptsOfPackage(own?.before ?? own?.now ?? null);
  const { files } = usedTools(commands, scripts);
  const paths = [...changes.keys()].filter((path) => mayDefineGate(path) || files.has(path)).sort();
  const changed = await repository.texts(directory, base.tree, paths.slice(0, MAX_FILES), MAX_TEXT);
  const more = paths.slice(MAX_FILES).map((path): ChangedText => ({ path, before: null, now: null }));
  return { scripts, changed: [...changed, ...more] };
}

/**
 * Puts the files that define a gate back in its copy as they were before the work. Of package.json only what gates use
 * is put back, because the work may need its new dependencies.
 */
export async function restoreDefinitions(
  { repository, workspace }: Pick<Ports, "repository" | "workspace">,
  directory: string,
  base: Base,
  folder: string,
  command: readonly string[],
): Promise<void> {
  const { changes } = await repository.look(directory, base, ONLY_CHANGES);
  const { scripts, changed } = await readDefinitions(repository, directory, base, changes, [command]);
  for (const file of changed) {
    if (changedGates([command], scripts, [file]).length === 0) continue;
    const { path, before } = file;
    const text = packageWithRules(file) ?? before;
    if (text === null) await workspace.discard(folder, [path]);
    else await workspace.rewrite(folder, path, () => text);
  }
}
