import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../shared/app-error.ts";
import { plainReason } from "../shared/plain-reason.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { syncFolder, writeSynced } from "../stores/durable-file.ts";

/** The logs that the operator has made or adopted, by their ids. */
export interface KnownLogs {
  has(log: string): boolean;
  /** On the disk when this returns. */
  add(log: string, place: string, how: "made" | "adopted"): void;
}

/**
 * One file for each log in the operator's configuration folder, outside of every repository: a log that came with a
 * repository is not among them. Several processes can add logs at once.
 */
export function knownLogs(configFolder: string): KnownLogs {
  const folder = join(configFolder, "logs");
  return {
    has: (log) => LOG_ID.test(log) && existsSync(join(folder, `${log}.json`)),
    add(log, place, how) {
      if (!LOG_ID.test(log)) throw new Error(`${log} is not the id of a log`);
      const path = join(folder, `${log}.json`);
      try {
        makeFolder(folder);
        if (existsSync(path)) return;
        writeSynced(path, `${JSON.stringify({ place, how, at: new Date().toISOString() }, null, 2)}\n`);
        syncFolder(folder);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
        throw new AppError(
          "cannot-write",
          `Which logs are yours is noted in ${folder}, which cannot be written: ${plainReason(error)}.`,
          "Check the folder, or set XDG_CONFIG_HOME to one that can be written.",
        );
      }
    },
  };
}

const LOG_ID = /^[0-9a-f]{32}$/;
