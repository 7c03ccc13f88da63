import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { LogSigner, SeenHead } from "../ports/log-signer.ts";
import { fileLogSigner } from "../stores/signer/file-log-signer.ts";
import { readLogId } from "../stores/sqlite/create-log.ts";
import { listSavedLogs } from "./saved-logs.ts";
import type { StatePlace } from "./state-folder.ts";
import { logIn } from "./state-places.ts";

/**
 * What every command that opens state says: an older log in the work tree, which is ignored, and logs that vanished and
 * were saved. The files are not opened: a repository may have brought them.
 */
export function stateNotices(place: StatePlace, directory: string, configFolder: string): string[] {
  const older = olderStateFolders(place).map((folder) => describeOlder(folder, configFolder, place));
  const saved = listSavedLogs(place, directory).map(
    (folder) =>
      `A log of this repository vanished while it was in use; what it held is in ${folder}. ` +
      `\`baton state adopt ${folder}\` takes it over; if you do not need it, delete the folder.`,
  );
  return [...older, ...saved];
}

/** Older versions kept the state in the work tree. */
export function olderStateFolders({ root, mainRoot, workFolder, stateFolder }: StatePlace): string[] {
  const folders = new Set([workFolder, workFolder.replace(root, () => mainRoot)]);
  return [...folders].filter(
    (folder) => folder !== stateFolder && lstatSync(logIn(folder), { throwIfNoEntry: false }) !== undefined,
  );
}

function describeOlder(folder: string, configFolder: string, place: StatePlace): string {
  const log = logIn(folder);
  const { stateFolder } = place;
  if (headsSeenAt(log, configFolder, place).length > 0)
    return `${log} is your log of an older version, which is no longer read: \`baton state adopt\` takes it over into ${stateFolder}.`;
  return `${log} is ignored: state is not kept there, and it is not known to be yours. If it is, \`baton state adopt\` takes it over.`;
}

/** Signs the log of this repository, also one that is not there: that one was may be remembered. */
export function signerOf({ root, stateFolder, given }: StatePlace, configFolder: string): LogSigner {
  return fileLogSigner({
    folder: configFolder,
    place: logIn(stateFolder),
    repository: { root, state: given },
    logIdIn: (path) => (existsSync(path) ? readLogId(path) : null),
    forbidden: [root, stateFolder],
  });
}

/** Signed heads that were remembered for a log at this path. */
export function headsSeenAt(log: string, configFolder: string, { root }: StatePlace): readonly SeenHead[] {
  const repository = { root, state: dirname(log) };
  return fileLogSigner({ folder: configFolder, place: log, repository, forbidden: [] }).seen(null);
}
