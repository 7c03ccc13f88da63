import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Whether a program is found; a relative folder would let the repository choose what is run. */
export function isOnPath(name: string, searchPath: string, isIt = isExecutable): boolean {
  return searchPath.split(delimiter).some((folder) => isAbsolute(folder) && isIt(join(folder, name)));
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
