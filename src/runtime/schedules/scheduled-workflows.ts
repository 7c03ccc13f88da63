import { createHash } from "node:crypto";
import type { Schedule } from "../../workflow/schedule.ts";
import { type LoadedWorkflow, readyNames, understandWorkflow } from "../operations/load-workflow.ts";
import { trustSubject } from "../operations/trust-workflow.ts";
import { type ScheduleFile, type SchedulePlace, scheduleFiles } from "./schedule-files.ts";

/** A workflow file with schedules, as it is now. */
export interface ScheduledWorkflow {
  /** From the root of the repository. */
  readonly file: string;
  readonly loaded: LoadedWorkflow;
  /** Since when the operator trusts it as it is now; null when it starts nothing. */
  readonly trustedAt: number | null;
  /** Why it starts nothing, and what mends that. */
  readonly notice: ScheduleNotice | null;
}

interface ScheduleNotice {
  readonly says: string;
  readonly fix: string;
}

/**
 * The workflow files of this repository that have schedules: those that the operator trusts or has trusted, and the one
 * with the usual name, of which it is told that it is not trusted yet.
 */
export function findScheduled(place: SchedulePlace): ScheduledWorkflow[] {
  const ready: readonly string[] = readyNames();
  const files = scheduleFiles(place).filter(({ name }) => !ready.includes(name));
  return files.flatMap((file) => look(file, place) ?? []);
}

function look(
  { name: file, path, text, entries }: ScheduleFile,
  { repositoryInfo }: SchedulePlace,
): ScheduledWorkflow | null {
  const loaded: LoadedWorkflow = { ...understandWorkflow(text, path), path: file, operand: file, file: path };
  const off = (says: string, command: string): ScheduledWorkflow => ({
    file,
    loaded,
    trustedAt: null,
    notice: { says: `The schedules of ${file} start nothing: ${says}`, fix: `\`baton ${command} ${file}\`` },
  });
  if (loaded.workflow === null) return HAS_SCHEDULES.test(text) ? off("the file has errors.", "check") : null;
  if (loaded.schedules.length === 0) return null;
  const { entry } = trustSubject(loaded, repositoryInfo);
  const trusted = entries.findLast(({ hash }) => hash === entry.hash);
  if (trusted !== undefined) return { file, loaded, trustedAt: Date.parse(trusted.at), notice: null };
  const wasTrusted = entries.some(({ workflow }) => workflow === file);
  return off(
    wasTrusted ? "it, or a file that it names, has changed since it was trusted." : "it is not trusted.",
    "trust",
  );
}

/** As far as that can be said of a text with errors. */
const HAS_SCHEDULES = /(?:^|[{,\s])["']?schedules["']?\s*:/m;

/** Tells a schedule from those of other files and repositories, also in a store that many repositories share. */
export function scheduleId(mark: string, file: string, { name }: Pick<Schedule, "name">): string {
  return createHash("sha256")
    .update(JSON.stringify([mark, file, name]))
    .digest("hex")
    .slice(0, 32);
}

/** The run of a time has one id, whoever starts it: the store refuses a second one. */
export function runIdOf(schedule: string, due: number): string {
  return createHash("sha256")
    .update(JSON.stringify([schedule, due]))
    .digest("hex")
    .slice(0, 12);
}
