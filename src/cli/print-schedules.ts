import { type ScheduleList, type ScheduleItem, minuteOf } from "../runtime/operations/list-schedules.ts";
import { printable } from "../shared/printable.ts";

/** When the schedules of this repository start runs, and what became of their last times. */
export function printSchedules({ items }: ScheduleList): string {
  if (items.length === 0) return "";
  const lines = items.flatMap((item) => [
    `  ${titleOf(item)}`,
    ...(item.last === null ? [] : [`    ${item.last.says}`]),
  ]);
  return `schedules, started while \`baton serve\` runs\n${lines.map((line) => `${printable(line)}\n`).join("")}`;
}

function titleOf({ workflow, name, cron, timezone, next, notice }: ScheduleItem): string {
  const when = next === null ? (notice === null ? "never" : "starts nothing") : `next ${minuteOf(next)}`;
  return `${name} of ${workflow}  ${when}  (${cron} ${timezone})`;
}
