import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sendInput } from "../../src/runtime/operations/send-input.ts";
import { readRun } from "../../src/runtime/read-run.ts";
import { DAY, at, scheduleRoom, workflowWith } from "./schedule-room.ts";

const DAILY = workflowWith("daily: { cron: 0 6 * * *, brief: Look around. }");
const PERSON = "{ human: true }";

function day(days: number, hours: number, minutes = 0): number {
  return at(hours, minutes) + days * DAY;
}

function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

describe("a schedule", () => {
  it("starts one run when its time has come, however often it is looked at, and none before", async () => {
    const { open } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, drive, notes, engine, list } = open();
    setClock(at(5, 59, 59));
    await keeper.keep();
    expect(await runs()).toEqual([]);
    for (const moment of [at(6), at(6, 0, 20), at(6, 1), at(7), at(23, 59)]) {
      setClock(moment);
      await keeper.keep();
    }
    const [{ run } = { run: "" }, ...others] = await runs();
    expect(others).toEqual([]);
    expect(notes).toEqual([`Schedule daily of baton.yaml: run ${run} was started.`]);
    await drive();
    expect(await runs()).toEqual([{ run, status: "completed" }]);
    const [first] = (await readRun(engine.ports, (await engine.ports.log.run(run))!)).events;
    expect(first?.event).toMatchObject({ kind: "run-started", file: "baton.yaml", brief: "Look around." });
    expect(await list()).toMatchObject({
      notices: [],
      items: [
        {
          workflow: "baton.yaml",
          name: "daily",
          next: day(1, 6),
          notice: null,
          last: { due: at(6), result: "started", run, says: `${minute(at(6))} started run ${run}.` },
        },
      ],
    });
  });

  it("tells its run for which time it was started", async () => {
    const { open } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, drive, engine } = open();
    setClock(at(6));
    await keeper.keep();
    await drive();
    const [{ run } = { run: "" }] = await runs();
    const { events } = await readRun(engine.ports, (await engine.ports.log.run(run))!);
    expect(JSON.stringify(events)).toContain('"schedule.due"');
    expect(JSON.stringify(events)).toContain(new Date(at(6)).toISOString().slice(0, 16));
  });

  it("starts a run of its own for each of its times, and each schedule its own", async () => {
    const { open } = scheduleRoom(workflowWith("a: { cron: 0 6 * * * }\nb: { cron: 0 6 * * * }"));
    const { keeper, setClock, runs, drive } = open();
    for (const days of [0, 1, 2]) {
      setClock(day(days, 6));
      await keeper.keep();
      await drive();
    }
    expect((await runs()).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "completed"));
  });

  it("starts no second run when the clock is set back", async () => {
    const { open } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, drive } = open();
    for (const moment of [at(6), at(5, 30), at(6), day(-1, 6), at(6, 1), at(6, 4)]) {
      setClock(moment);
      await keeper.keep();
      await drive();
    }
    expect(await runs()).toHaveLength(1);
  });
});

describe("times that passed while no server ran", () => {
  it("are no downtime for five minutes: a restart loses nothing", async () => {
    const { open } = scheduleRoom(DAILY);
    const { keeper, setClock, runs } = open();
    setClock(at(6, 4, 59));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
  });

  it("are missed, told once, and started by no later look", async () => {
    const { open } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, notes, list } = open();
    setClock(day(2, 9));
    const says = `${minute(day(2, 6))} was missed: no \`baton serve\` ran.`;
    // It is told before a server looks, too.
    expect((await list()).items[0]?.last).toMatchObject({ result: "missed", due: day(2, 6) });
    for (const moment of [day(2, 9), day(2, 10)]) {
      setClock(moment);
      await keeper.keep();
    }
    expect(await runs()).toEqual([]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(says);
    expect(notes[0]).toContain(`2 times since ${minute(at(6))} were missed before.`);
    expect((await list()).items[0]?.last?.says).toContain(says);
    setClock(day(3, 6));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
    expect((await list()).items[0]?.last).toMatchObject({ result: "started", due: day(3, 6) });
  });

  it("start one run, for the latest of them, when the schedule says so", async () => {
    const { open } = scheduleRoom(workflowWith("daily: { cron: 0 6 * * *, missed: latest }"));
    const { keeper, setClock, runs, notes, drive, list } = open();
    setClock(at(6));
    await keeper.keep();
    await drive();
    setClock(day(4, 9));
    expect((await list()).items[0]?.last?.says).toContain("The next `baton serve` starts it.");
    await keeper.keep();
    expect(await runs()).toHaveLength(2);
    expect(notes.join("\n")).toContain(`3 times since ${minute(day(1, 6))} were missed before.`);
    expect((await list()).items[0]?.last).toMatchObject({ result: "started", due: day(4, 6) });
  });
});

describe("a schedule whose last run has not ended", () => {
  it("skips the time, and says which run is in the way", async () => {
    const { open } = scheduleRoom(workflowWith("daily: { cron: 0 6 * * *, missed: latest }", PERSON));
    const { keeper, setClock, runs, drive, notes, list, engine } = open();
    setClock(at(6));
    await keeper.keep();
    await drive();
    const [{ run } = { run: "" }] = await runs();
    expect(await runs()).toEqual([{ run, status: "waiting" }]);
    setClock(day(1, 6));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
    const says = `${minute(day(1, 6))} was skipped: its run ${run} had not ended.`;
    expect(notes.at(-1)).toBe(`Schedule daily of baton.yaml: ${says}`);
    expect((await list()).items[0]?.last).toMatchObject({ result: "skipped", run, says });
    await sendInput(engine.ports, run, { kind: "cancel-run", by: "tester", reason: "enough" });
    await drive();
    // What was skipped stays skipped, also when nothing is in the way any more.
    setClock(day(1, 6, 2));
    await keeper.keep();
    expect(await runs()).toEqual([{ run, status: "cancelled" }]);
    setClock(day(2, 6));
    await keeper.keep();
    expect(await runs()).toHaveLength(2);
  });

  it("knows which run is in the way, however many times it has skipped", async () => {
    const { open } = scheduleRoom(workflowWith("often: { cron: '* * * * *' }", PERSON));
    const { keeper, setClock, runs, drive, list } = open();
    for (let minutes = 0; minutes < 110; minutes++) {
      setClock(at(6, minutes));
      await keeper.keep();
      if (minutes === 0) await drive();
    }
    expect(await runs()).toHaveLength(1);
    expect((await list()).items[0]?.last).toMatchObject({ result: "skipped" });
  });

  it("starts another one when it may overlap itself, up to a limit", async () => {
    const { open } = scheduleRoom(workflowWith("often: { cron: '* * * * *', overlap: allow }", PERSON));
    const { keeper, setClock, runs, drive, notes } = open();
    for (let minutes = 0; minutes < 22; minutes++) {
      setClock(at(6, minutes));
      await keeper.keep();
    }
    await drive();
    expect(await runs()).toHaveLength(20);
    expect(notes.at(-1)).toContain("was skipped");
  });
});

describe("a workflow that the operator does not trust", () => {
  const other = DAILY.replace("Look around.", "Look twice.");

  it("starts nothing, and is told once with what mends it", async () => {
    const { open, write, trust } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, notes, list } = open();
    write(other);
    for (const moment of [at(6), at(6, 1), at(6, 2)]) {
      setClock(moment);
      await keeper.keep();
    }
    const notice = {
      says: "The schedules of baton.yaml start nothing: it, or a file that it names, has changed since it was trusted.",
      fix: "`baton trust baton.yaml`",
    };
    expect(notes).toEqual([`${notice.says} ${notice.fix}`]);
    expect(await list()).toMatchObject({ notices: [notice], items: [{ next: null, notice, last: null }] });
    trust();
    setClock(day(1, 6));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
  });

  it("is the same when a file that it names has changed", async () => {
    const { folder, open } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, notes } = open();
    writeFileSync(join(folder, "agent.sh"), "echo another\n");
    setClock(at(6));
    await keeper.keep();
    expect(await runs()).toEqual([]);
    expect(notes.join()).toContain("`baton trust baton.yaml`");
  });

  it("has no times before the operator trusted it", async () => {
    const { open, trust } = scheduleRoom(workflowWith("often: { cron: '* * * * *', missed: latest }"));
    const { keeper, setClock, runs, list } = open();
    trust(at(6, 0, 30));
    setClock(at(6, 0, 50));
    await keeper.keep();
    expect(await runs()).toEqual([]);
    expect((await list()).items[0]?.last).toBeNull();
    setClock(at(6, 1));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
  });

  it("is told when it cannot be read any more", async () => {
    const { open, write } = scheduleRoom(DAILY);
    const { keeper, setClock, runs, notes } = open();
    write(DAILY.replace("0 6", "0 66"));
    setClock(at(6));
    await keeper.keep();
    expect(await runs()).toEqual([]);
    expect(notes).toEqual(["The schedules of baton.yaml start nothing: the file has errors. `baton check baton.yaml`"]);
  });

  it("is read in every way that YAML can be written", async () => {
    const { open, write, trust } = scheduleRoom(DAILY);
    const { keeper, setClock, runs } = open();
    write(
      `{ "baton": 1, "name": "timed", "start": "one", "agents": { "one": { "run": { "human": true }, "dialect": "task-yaml", "routes": { "done": "end" } } }, "schedules": { "daily": { "cron": "0 6 * * *" } } }`,
    );
    trust();
    setClock(at(6));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
  });

  it("is not told when it has errors and no schedules", async () => {
    const { open, write } = scheduleRoom(DAILY);
    const { keeper, notes } = open();
    write(`# No schedules here.\n${DAILY.slice(0, DAILY.indexOf("schedules:")).replace("start: one", "start: two")}`);
    await keeper.keep();
    expect(notes).toEqual([]);
  });

  it("is not told when it has no schedules", async () => {
    const { open, write } = scheduleRoom(DAILY);
    const { keeper, notes, list } = open();
    write(DAILY.slice(0, DAILY.indexOf("schedules:")));
    await keeper.keep();
    expect(notes).toEqual([]);
    expect(await list()).toEqual({ items: [], notices: [] });
  });
});
