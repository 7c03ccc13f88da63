import { Cron } from "croner";
import type { Problems } from "../../protocol/file-problems.ts";
import { shape } from "../../protocol/shape.ts";
import type { JsonPath, JsonRecord } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { MISSED_TIMES, OVERLAPS, type Schedule } from "../schedule.ts";
import { type CronProblem, checkCron } from "./check-cron.ts";
import { DEFAULTS } from "./defaults.ts";
import { may, must } from "./file-field.ts";
import { recordOr, textOr, wordOr } from "./loose-values.ts";
import { anyText, cronTimes, timeZone, workflowAgentName } from "./words.ts";

/** The section `schedules` of a workflow file. */
export const schedulesShape = shape.map(
  shape.record({
    cron: must(
      shape.formatted(cronTimes),
      "When: minute, hour, day of the month, month and weekday, as in a crontab. Where both kinds of days are named, either will do.",
    ),
    timezone: may(
      shape.formatted(timeZone),
      "The time zone in which the times are meant, for example Europe/Berlin.",
      DEFAULTS.schedule.timezone,
    ),
    brief: may(shape.formatted(anyText), "What each run is about; part of every prompt."),
    overlap: may(
      shape.oneOf(OVERLAPS),
      "What happens at a time at which another run of the schedule has not ended, or waits for a person: skip the time, or start one more.",
      DEFAULTS.schedule.overlap,
    ),
    missed: may(
      shape.oneOf(MISSED_TIMES),
      "What happens with times at which no `baton serve` ran: skip them, or start a run for the latest one.",
      DEFAULTS.schedule.missed,
    ),
  }),
);

/** The schedules of a file whose fields were checked. What is wrong with a time is reported, and the schedule left out. */
export function readSchedules(file: JsonRecord, problems: Problems): Schedule[] {
  return Object.entries(recordOr(file["schedules"])).flatMap(([name, value]) => {
    const path: JsonPath = ["schedules", name];
    const schedule = liftSchedule(name, recordOr(value));
    const isNamed = checkName(name, path, problems);
    const isInZone = checkZone(schedule.timezone, [...path, "timezone"], problems);
    const isTimed = checkTimes(schedule, isInZone, [...path, "cron"], problems);
    return isNamed && isInZone && isTimed ? [schedule] : [];
  });
}

function liftSchedule(name: string, written: JsonRecord): Schedule {
  return {
    name,
    cron: textOr(written["cron"], ""),
    timezone: textOr(written["timezone"], DEFAULTS.schedule.timezone),
    brief: textOr(written["brief"], ""),
    overlap: wordOr(written["overlap"], OVERLAPS, DEFAULTS.schedule.overlap),
    missed: wordOr(written["missed"], MISSED_TIMES, DEFAULTS.schedule.missed),
  };
}

function checkName(name: string, path: JsonPath, problems: Problems): boolean {
  if (workflowAgentName.accepts(name)) return true;
  problems.add({
    code: "bad-format",
    path,
    atKey: true,
    message: `The name of a schedule must be ${workflowAgentName.description}.`,
    hint: "For example: nightly-update",
  });
  return false;
}

function checkZone(zone: string, path: JsonPath, problems: Problems): boolean {
  if (isZone(zone)) return true;
  // An empty text was reported as such.
  if (zone !== "") {
    const meant = nearestWord(zone, Intl.supportedValuesOf("timeZone"));
    problems.add({
      code: "unknown-name",
      path,
      message: `No time zone is called \`${zone.slice(0, 60)}\`.`,
      hint: meant === null ? "Names are those of the IANA database: UTC, Europe/Berlin." : `Did you mean ${meant}?`,
    });
  }
  return false;
}

/** Offsets such as +02:00 are no zones: they do not know of summer time. */
function isZone(name: string): boolean {
  if (!new RegExp(timeZone.pattern).test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function checkTimes({ cron, timezone }: Schedule, isInZone: boolean, path: JsonPath, problems: Problems): boolean {
  // It is missing, or no text: that was reported.
  if (cron === "") return false;
  const found = checkCron(cron) ?? (isInZone ? neverComes(cron, timezone) : null);
  if (found !== null) problems.add({ code: "bad-format", ...found, path });
  return found === null;
}

/** The answer must not depend on the day on which the file is checked. */
const SOME_DAY = "2026-01-01T00:00:00";

function neverComes(cron: string, timezone: string): (CronProblem & { readonly code: "inconsistent" }) | null {
  const times = new Cron(cron, { timezone, mode: "5-part", paused: true });
  if (times.nextRun(SOME_DAY) !== null) return null;
  return {
    code: "inconsistent",
    message: "This time never comes: none of these months has such a day.",
    hint: "For example: 0 0 28 2 *, at midnight of each 28th of February.",
  };
}
