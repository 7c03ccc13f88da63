import type { ScheduleDecision } from "../../ports/schedule-store.ts";
import { type ScheduleItem, type ScheduleList, describeDecision } from "../../views/schedule-item.ts";
import type { Schedule } from "../../workflow/schedule.ts";
import type { Engine } from "../engine.ts";
import { lastTime, nextTime, timesBetween } from "../schedules/due-times.ts";
import { LATE_AFTER, MAX_MISSED, isTooLate } from "../schedules/schedule-keeper.ts";
import type { SchedulePlace } from "../schedules/schedule-files.ts";
import { type ScheduledWorkflow, findScheduled, scheduleId } from "../schedules/scheduled-workflows.ts";

export { minuteOf, type ScheduleItem, type ScheduleList } from "../../views/schedule-item.ts";

interface ListContext extends SchedulePlace {
  readonly engine: Pick<Engine, "ports" | "schedules">;
  readonly now: number;
}

/** The schedules of this repository with their next times and what became of the last ones. Nothing is decided. */
export async function listSchedules(context: ListContext): Promise<ScheduleList> {
  const scheduled = findScheduled(context);
  const items: ScheduleItem[] = [];
  for (const workflow of scheduled)
    for (const schedule of workflow.loaded.schedules) items.push(await itemOf(workflow, schedule, context));
  return { items, notices: scheduled.flatMap(({ notice }) => notice ?? []) };
}

async function itemOf(workflow: ScheduledWorkflow, schedule: Schedule, context: ListContext): Promise<ScheduleItem> {
  const { name, cron, timezone, brief, overlap, missed } = schedule;
  const { notice, file } = workflow;
  const next = notice === null ? nextTime(schedule, context.now) : null;
  const last = await lastOf(workflow, schedule, context);
  return { workflow: file, name, cron, timezone, brief, overlap, missed, next, notice, last };
}

async function lastOf(
  { file, trustedAt }: ScheduledWorkflow,
  schedule: Schedule,
  { engine: { schedules, ports }, now, repositoryInfo }: ListContext,
): Promise<ScheduleItem["last"]> {
  const id = scheduleId(repositoryInfo.mark, file, schedule);
  const [decided] = await schedules.decisions(id, now, 1);
  const due = lastTime(schedule, now);
  if (due !== null && trustedAt !== null && due >= trustedAt && due > (decided?.due ?? 0) && now - due > LATE_AFTER)
    return undecided(schedule, due, Math.max(decided?.due ?? 0, trustedAt));
  if (decided === undefined) return null;
  const hasRun = decided.run !== null && (await ports.log.run(decided.run)) !== null;
  return { due: decided.due, run: decided.run, ...resultOf(schedule, decided, hasRun, now) };
}

type Result = Pick<NonNullable<ScheduleItem["last"]>, "result" | "says">;

function resultOf(schedule: Schedule, decided: ScheduleDecision, hasRun: boolean, now: number): Result {
  const progress = hasRun ? "started" : isTooLate(schedule, decided.due, now) ? "late" : "due";
  const says = describeDecision(decided, progress);
  if (decided.kind === "skip") return { result: "skipped", says };
  if (decided.kind === "miss") return { result: "missed", says };
  return { result: progress === "started" ? "started" : progress === "late" ? "failed" : "waiting", says };
}

/** No server has looked since: it is not decided what becomes of the time, but none was there when it came. */
function undecided(schedule: Schedule, due: number, after: number): NonNullable<ScheduleItem["last"]> {
  const { count, first } = timesBetween(schedule, after, due, MAX_MISSED);
  const time = { kind: "miss", due, run: null, missed: count, missedSince: first, problem: null } as const;
  const later = schedule.missed === "latest" ? " The next `baton serve` starts it." : "";
  return { due, run: null, result: "missed", says: `${describeDecision(time, "late")}${later}` };
}
