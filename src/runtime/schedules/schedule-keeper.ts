import type { ScheduleDecision } from "../../ports/schedule-store.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import { describeDecision, scheduleTitle } from "../../views/schedule-item.ts";
import type { Schedule } from "../../workflow/schedule.ts";
import type { Engine } from "../engine.ts";
import { type Operator, readyToStart, startReady, withPrograms } from "../operations/start-trusted-run.ts";
import { utcOf } from "../../shared/utc-time.ts";
import { lastTime, timesBetween } from "./due-times.ts";
import { type ScheduledWorkflow, findScheduled, runIdOf, scheduleId } from "./scheduled-workflows.ts";

/** A restart, a crash or a busy machine is no downtime: what was due so short a time ago still starts. */
export const LATE_AFTER = 5 * 60_000;

/** How many runs of a schedule that may overlap itself can be unfinished: beyond it, times are skipped. */
const MAX_UNFINISHED = 20;
/** Among how many of its latest runs they are looked for. */
const MAX_STARTS = 100;
export const MAX_MISSED = 1_000;

interface KeeperContext {
  readonly engine: Engine;
  readonly operator: Operator;
  /** Is told once what an operator should know. */
  readonly notify: (message: string) => void;
}

/**
 * Starts the runs of schedules whose time has come. The first process that decides on a time decides for all (see
 * `ScheduleStore`), and only then the run is created, with an id that follows from the time. So several processes on one
 * state start one run, and so does one that comes back after it was killed between the two.
 */
export class ScheduleKeeper {
  readonly #context: KeeperContext;
  /** What was told last about each file or schedule, so that it is told once. */
  readonly #told = new Map<string, string>();

  constructor(context: KeeperContext) {
    this.#context = context;
  }

  /** Looks once at all schedules. A schedule that fails keeps no other one from starting. */
  async keep(): Promise<void> {
    for (const scheduled of findScheduled(this.#context.operator)) {
      const { file, notice, loaded } = scheduled;
      this.#tell(file, notice === null ? null : `${notice.says} ${notice.fix}`);
      for (const schedule of notice === null ? loaded.schedules : [])
        await this.#keepOne(scheduled, schedule).then(
          () => this.#tell(titleOf(scheduled, schedule), null),
          (error: unknown) => this.#tell(titleOf(scheduled, schedule), this.#failure(scheduled, schedule, error)),
        );
    }
  }

  async #keepOne(scheduled: ScheduledWorkflow, schedule: Schedule): Promise<void> {
    const { engine, operator, notify } = this.#context;
    const { schedules: store } = engine;
    const now = engine.ports.clock.now();
    const due = lastTime(schedule, now);
    if (due === null || scheduled.trustedAt === null || due < scheduled.trustedAt) return;
    const id = scheduleId(operator.repositoryInfo.mark, scheduled.file, schedule);
    const [last] = await store.decisions(id, now, 1);
    let decision = last?.due === due ? last : null;
    if (decision === null) {
      const after = Math.max(last?.due ?? 0, scheduled.trustedAt);
      const stored = await store.decide({
        schedule: id,
        due,
        at: now,
        ...missedBefore(schedule, after, due),
        ...(await this.#choose(schedule, { id, due, now })),
      });
      decision = stored.decision;
      if (stored.isNew && (decision.kind !== "start" || decision.missed > 0))
        notify(`${titleOf(scheduled, schedule)}: ${describeDecision(decision, "due")}`);
    }
    await this.#start(scheduled, schedule, decision, now);
  }

  async #choose(
    schedule: Schedule,
    { id, due, now }: { id: string; due: number; now: number },
  ): Promise<Pick<ScheduleDecision, "kind" | "run">> {
    if (isTooLate(schedule, due, now)) return { kind: "miss", run: null };
    const unfinished = await this.#unfinished(id);
    const most = schedule.overlap === "allow" ? MAX_UNFINISHED : 1;
    const [inTheWay] = unfinished;
    if (inTheWay !== undefined && unfinished.length >= most) return { kind: "skip", run: inTheWay };
    return { kind: "start", run: runIdOf(id, due) };
  }

  /** Runs of the schedule that have not ended, the newest first. */
  async #unfinished(id: string): Promise<string[]> {
    const { ports, schedules } = this.#context.engine;
    const { log } = ports;
    const unfinished: string[] = [];
    for (const { run } of await schedules.starts(id, MAX_STARTS))
      if (run !== null && (await log.run(run))?.finished === false) unfinished.push(run);
    return unfinished;
  }

  /** Creates the run of a decision unless it is there, or it is too late for it now. */
  async #start(
    scheduled: ScheduledWorkflow,
    schedule: Schedule,
    { kind, run, due, schedule: id, problem }: ScheduleDecision,
    now: number,
  ): Promise<void> {
    const { engine, operator, notify } = this.#context;
    const { schedules: store } = engine;
    if (kind !== "start" || run === null || (await engine.ports.log.run(run)) !== null) return;
    if (isTooLate(schedule, due, now)) return;
    const known = { schedule: schedule.name, "schedule.due": utcOf(due) };
    try {
      const ready = readyToStart(await withPrograms(scheduled.loaded, operator), operator);
      await startReady(engine, ready, { id: run, brief: schedule.brief, known }, operator);
    } catch (error) {
      // Another process was quicker.
      if ((await engine.ports.log.run(run)) !== null) return;
      const why = plainReason(error);
      if (why !== problem) await store.noteProblem(id, due, why);
      throw error;
    }
    if (problem !== null) await store.noteProblem(id, due, null);
    notify(`${titleOf(scheduled, schedule)}: run ${run} was started.`);
  }

  #failure(scheduled: ScheduledWorkflow, schedule: Schedule, error: unknown): string {
    return `${titleOf(scheduled, schedule)}: its run could not be started: ${plainReason(error)}`;
  }

  #tell(about: string, message: string | null): void {
    if (message === null) this.#told.delete(about);
    else if (this.#told.get(about) !== message) {
      this.#told.set(about, message);
      this.#context.notify(message);
    }
  }
}

function titleOf({ file }: ScheduledWorkflow, { name }: Schedule): string {
  return scheduleTitle(file, name);
}

export function isTooLate({ missed }: Pick<Schedule, "missed">, due: number, now: number): boolean {
  return missed === "skip" && now - due > LATE_AFTER;
}

function missedBefore(
  schedule: Schedule,
  after: number,
  due: number,
): Pick<ScheduleDecision, "missed" | "missedSince"> {
  const { count, first } = timesBetween(schedule, after, due, MAX_MISSED);
  return { missed: count, missedSince: first };
}
