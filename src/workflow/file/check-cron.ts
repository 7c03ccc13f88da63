/** What is wrong with a cron expression, and with which part of it. */
export interface CronProblem {
  readonly within?: { readonly start: number; readonly end: number };
  readonly message: string;
  readonly hint: string;
}

interface CronField {
  readonly is: string;
  readonly first: number;
  readonly last: number;
  /** The largest step that is not the same as none. */
  readonly step: number;
  /** Names of the values, beginning with the first one. */
  readonly names: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly CronField[] = [
  { is: "minute", first: 0, last: 59, step: 59, names: [] },
  { is: "hour", first: 0, last: 23, step: 23, names: [] },
  { is: "day of the month", first: 1, last: 31, step: 30, names: [] },
  { is: "month", first: 1, last: 12, step: 11, names: MONTHS },
  // 0 and 7 are both Sunday.
  { is: "weekday", first: 0, last: 7, step: 6, names: DAYS },
];

const EXAMPLE = "For example: 0 6 * * 1-5, at 6:00 from Monday to Friday.";

/** What the short forms of some crontabs mean. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/**
 * Five fields of numbers, names, `*`, lists, ranges and steps, which every cron understands alike; null when it is so.
 * Extensions (`L`, `W`, `#`, `?`, `H`, seconds) mean different things to different programs.
 */
export function checkCron(cron: string): CronProblem | null {
  const long = SHORT_FORMS[cron.toLowerCase()];
  if (long !== undefined) return { message: "Short forms have no meaning here.", hint: `Write ${long}` };
  const parts = [...cron.matchAll(/[^ ]+/g)];
  const rest = cron.slice(parts[1]?.index);
  if (parts.length === FIELDS.length + 1 && checkCron(rest) === null)
    return {
      message: "These are six fields: a schedule has no seconds, only whole minutes.",
      hint: `Leave out the first one: ${rest}`,
    };
  if (parts.length !== FIELDS.length || cron.trim() !== cron || /[^\S ]/.test(cron))
    return {
      message: "A schedule has five fields with spaces between them: minute, hour, day of the month, month, weekday.",
      hint: EXAMPLE,
    };
  for (const [index, field] of FIELDS.entries()) {
    const { 0: text, index: start } = parts[index] ?? { 0: "", index: 0 };
    const found = checkField(text, field);
    if (found !== null) return { ...found, within: { start, end: start + text.length } };
  }
  return null;
}

const ITEM = /^(?:\*|(?<from>[0-9a-z]{1,3})(?:-(?<to>[0-9a-z]{1,3}))?)(?:\/(?<step>\d{1,3}))?$/i;

function checkField(text: string, field: CronField): CronProblem | null {
  for (const item of text.split(",")) {
    const found = checkItem(item, field);
    if (found !== null) return found;
  }
  return null;
}

function checkItem(item: string, field: CronField): CronProblem | null {
  if (item === "") return { message: "Something is missing beside a comma.", hint: "A list is written 1,3,5." };
  const { from, to, step } = ITEM.exec(item)?.groups ?? { from: item };
  if (from !== undefined) {
    const found = checkRange(from, to ?? from, field);
    if (found !== null) return found;
    if (step !== undefined && to === undefined)
      return { message: `\`${item}\` has a step and no range.`, hint: `Write ${from}-${field.last}/${step}` };
  }
  return step === undefined ? null : checkStep(Number(step), field);
}

function checkRange(from: string, to: string, field: CronField): CronProblem | null {
  const [first, last] = [valueOf(from, field), lastOf(to, field)];
  if (first === null || last === null) return noValue(first === null ? from : to, field);
  if (first <= last || from === to) return null;
  const hint = `Write two ranges: ${from}-${field.last},${field.first}-${to}`;
  return { message: `\`${from}-${to}\` ends before it begins.`, hint };
}

/** A week that is written Friday to Sunday ends with the seventh day. */
function lastOf(text: string, field: CronField): number | null {
  return field.names === DAYS && text.toLowerCase() === "sun" ? field.last : valueOf(text, field);
}

/** A step over the end of the field would be no step: every 90 minutes cannot be said in this way. */
function checkStep(step: number, { is, step: most }: CronField): CronProblem | null {
  if (step >= 1 && step <= most) return null;
  const hint = "The steps begin anew where the field does: */90 would mean every hour.";
  return { message: `A step of this field, ${is}, is 1 to ${most}; found ${step}.`, hint };
}

function valueOf(text: string, { first, last, names }: CronField): number | null {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + first;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= first && value <= last ? value : null;
}

function noValue(text: string, { is, first, last, names }: CronField): CronProblem {
  const named = names.length === 0 ? "" : `, or ${names[0]} to ${names.at(-1)}`;
  const hint = `${is === "hour" ? "An" : "A"} ${is} is ${first} to ${last}${named}, * for every one, a list (1,3), a range (1-5) or a step (*/2).`;
  return { message: `\`${text.slice(0, 20)}\` is no ${is}.`, hint };
}
