import { resolve } from "node:path";
import type { RepositoryInfo } from "../engine.ts";
import { type TrustEntry, readTrusted } from "../operations/trust-store.ts";
import { readPlainFile } from "../read-plain-file.ts";

/** Whose trust counts, and where. */
export interface SchedulePlace {
  readonly configFolder: string;
  readonly repositoryInfo: Pick<RepositoryInfo, "root" | "mark">;
}

/** A file that may have schedules. */
export interface ScheduleFile {
  /** From the root of the repository. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** What the operator trusts in this repository. */
  readonly entries: readonly TrustEntry[];
}

const USUAL_FILE = "baton.yaml";

/** Most workflows have none: they are not parsed, and nothing that could parse them is loaded. */
const MAY_HAVE_SCHEDULES = /\bschedules\b/;

/** The files that may have schedules, among those whose schedules would count. */
export function scheduleFiles({ configFolder, repositoryInfo: { root, mark } }: SchedulePlace): ScheduleFile[] {
  const entries = readTrusted(configFolder).filter((entry) => entry.mark === mark);
  const names = [...new Set([USUAL_FILE, ...entries.map(({ workflow }) => workflow)])];
  return names.flatMap((name) => {
    const path = resolve(root, name);
    const text = name.endsWith(".format.yaml") ? null : readPlainFile(path);
    return text === null || !MAY_HAVE_SCHEDULES.test(text) ? [] : [{ name, path, text, entries }];
  });
}
