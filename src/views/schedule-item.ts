import { type Infer, data } from "../protocol/shape.ts";
import { utcOf } from "../shared/utc-time.ts";

const noticeShape = data.record({ says: data.text(), fix: data.text() });

const scheduleItemShape = data.record({
  /** The workflow file, from the root of the repository. */
  workflow: data.text(),
  name: data.text(),
  cron: data.text(),
  timezone: data.text(),
  brief: data.text(),
  overlap: data.text(),
  missed: data.text(),
  /** The next time, in milliseconds since 1970; null when there is none, or while it starts nothing. */
  next: data.nullable(data.count()),
  /** Why it starts nothing, and what mends that; null when it does. */
  notice: data.nullable(noticeShape),
  /** What became of its last time; null when none has come. */
  last: data.nullable(
    data.record({
      due: data.count(),
      result: data.oneOf(["started", "skipped", "missed", "waiting", "failed"]),
      /** The run that was started; of a skipped time the one that had not ended. */
      run: data.nullable(data.text()),
      says: data.text(),
    }),
  ),
});
/** A schedule of a workflow, for every surface. */
export type ScheduleItem = Infer<typeof scheduleItemShape>;

export const scheduleListShape = data.record({
  items: data.list(scheduleItemShape),
  /** Why files start nothing, each once, and what mends it. */
  notices: data.list(noticeShape),
});
export type ScheduleList = Infer<typeof scheduleListShape>;

interface DecidedTime {
  readonly due: number;
  readonly kind: "start" | "skip" | "miss";
  readonly run: string | null;
  readonly missed: number;
  readonly missedSince: number | null;
  readonly problem: string | null;
}

/** How far the run of a decision is: `due` while it can still be started, `late` when it was not and will not be. */
type StartProgress = "due" | "started" | "late";

export function scheduleTitle(file: string, name: string): string {
  return `Schedule ${name} of ${file}`;
}

/** What became of a time, as a sentence. */
export function describeDecision(decision: DecidedTime, progress: StartProgress): string {
  const time = minuteOf(decision.due);
  const before = describeMissed(decision);
  return [describeTime(decision, progress, time), ...(before === null ? [] : [before])].join(" ");
}

function describeTime({ kind, run, problem }: DecidedTime, progress: StartProgress, time: string): string {
  if (kind === "skip") return `${time} was skipped: its run ${run ?? "?"} had not ended.`;
  if (kind === "miss") return `${time} was missed: no \`baton serve\` ran.`;
  if (progress === "started") return `${time} started run ${run ?? "?"}.`;
  const why = problem === null ? "" : `: ${problem}`;
  return progress === "due" ? `${time} is due${why === "" ? "." : why}` : `${time} was not started${why || "."}`;
}

/** The times before it on which nobody decided. */
function describeMissed({ missed, missedSince }: DecidedTime): string | null {
  if (missed === 0 || missedSince === null) return null;
  const since = minuteOf(missedSince);
  return missed === 1 ? `${since} was missed before.` : `${missed} times since ${since} were missed before.`;
}

/** Minutes are all that a schedule knows. */
export function minuteOf(time: number): string {
  return `${utcOf(time).slice(0, "2026-11-16T05:00".length).replace("T", " ")} UTC`;
}
