import { existsSync } from "node:fs";
import type { StateWhere } from "../cli/terminal.ts";
import { AppError } from "../shared/app-error.ts";
import { knownLogs } from "./known-logs.ts";
import { findStatePlace } from "./state-folder.ts";
import { stateNotices } from "./state-notices.ts";
import { existingPlaces, logIn } from "./state-places.ts";

/** Where the state of a folder is, and why it would not be used. */
export async function whereState(directory: string, configFolder: string): Promise<StateWhere> {
  const place = findStatePlace(directory, process.env);
  const { stateFolder } = place;
  const notes = stateNotices(place, directory, configFolder);
  try {
    await existingPlaces(stateFolder, knownLogs(configFolder)).close();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    notes.push(`${error.message} ${error.hint}`);
  }
  return { stateFolder, hasLog: existsSync(logIn(stateFolder)), notes };
}
