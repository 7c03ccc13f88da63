import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { type JsonRecord, isRecord } from "../../shared/json-value.ts";

/** What was found of a commit before it was merged. */
export interface ValidationNote {
  readonly head: string;
  readonly results: Readonly<Record<string, string>>;
}

/** For whoever has to hand over again after the merge was made: the results are not made up, and not made twice. */
export async function writeNote(stateFolder: string, run: string, note: ValidationNote): Promise<void> {
  const folder = join(stateFolder, "validations");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify(note));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, pathOf(folder, run));
}

export async function readNote(stateFolder: string, run: string): Promise<ValidationNote | null> {
  try {
    const note: unknown = JSON.parse(await readFile(pathOf(join(stateFolder, "validations"), run), "utf8"));
    return isNote(note) ? note : null;
  } catch {
    return null;
  }
}

function isNote(note: unknown): note is ValidationNote & JsonRecord {
  if (!isRecord(note) || typeof note["head"] !== "string" || !isRecord(note["results"])) return false;
  return Object.values(note["results"]).every((result) => typeof result === "string");
}

/** Ids of runs are ours, and still no path. */
function pathOf(folder: string, run: string): string {
  return join(folder, `${encodeURIComponent(run)}.json`);
}
