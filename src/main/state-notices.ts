import { lstatSync } from "node:fs";
import { fileLogSigner } from "../stores/signer/file-log-signer.ts";
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

function describeOlder(folder: string, configFolder: string, { stateFolder }: StatePlace): string {
  const log = logIn(folder);
  if (headsSeenAt(log, configFolder).length > 0)
    return `${log} is your log of an older version, which is no longer read: \`baton state adopt\` takes it over into ${stateFolder}.`;
  return `${log} is ignored: state is not kept there, and it is not known to be yours. If it is, \`baton state adopt\` takes it over.`;
}

/** Signed heads that were remembered for a log at this path. */
export function headsSeenAt(log: string, configFolder: string): ReturnType<ReturnType<typeof fileLogSigner>["seen"]> {
  return fileLogSigner({ folder: configFolder, place: log, forbidden: [] }).seen();
}
