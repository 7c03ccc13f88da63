import { describe, expect, it } from "vitest";
import { lastTime, nextTime, timesBetween } from "./due-times.ts";

const MINUTE = 60_000;

function timesOf(cron: string, timezone: string, from: string, to: string): string[] {
  const times: string[] = [];
  for (let time = nextTime({ cron, timezone }, Date.parse(from)); time !== null && time < Date.parse(to);) {
    times.push(new Date(time).toISOString().slice(0, 16));
    time = nextTime({ cron, timezone }, time);
  }
  return times;
}

describe("the times of a schedule", () => {
  it("are those of its time zone, also when the clock was changed in between", () => {
    expect(timesOf("0 6 * * *", "Europe/Berlin", "2026-03-27T12:00Z", "2026-03-31T00:00Z")).toEqual([
      "2026-03-28T05:00",
      "2026-03-29T04:00",
      "2026-03-30T04:00",
    ]);
  });

  it.each([
    [
      "when the clock goes on, where summer time leaves them out",
      "30 2 * * *",
      ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"],
    ],
    [
      "once where two fall together",
      "0,30 2-3 * * *",
      [
        "2026-03-28T01:00",
        "2026-03-28T01:30",
        "2026-03-28T02:00",
        "2026-03-28T02:30",
        "2026-03-29T01:00",
        "2026-03-29T01:30",
        "2026-03-30T00:00",
        "2026-03-30T00:30",
        "2026-03-30T01:00",
        "2026-03-30T01:30",
      ],
    ],
  ])("come %s", (_what, cron, times) => {
    expect(timesOf(cron, "Europe/Berlin", "2026-03-28T00:00Z", "2026-03-30T12:00Z")).toEqual(times);
  });

  it("come the first time where the end of summer time brings them twice", () => {
    expect(timesOf("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00Z", "2026-10-27T00:00Z")).toEqual([
      "2026-10-24T00:30",
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
  });

  it("come both times where minute or hour is more than one number", () => {
    expect(timesOf("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:45Z", "2026-10-25T02:15Z")).toEqual([
      "2026-10-25T00:00",
      "2026-10-25T00:30",
      "2026-10-25T01:00",
      "2026-10-25T01:30",
      "2026-10-25T02:00",
    ]);
  });

  it("know of clocks that are changed by half an hour, and of a day that a country left out", () => {
    expect(timesOf("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T00:00Z", "2026-10-05T00:00Z")).toEqual([
      "2026-10-02T15:45",
      "2026-10-03T15:30",
      "2026-10-04T15:15",
    ]);
    expect(timesOf("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00Z", "2011-12-31T12:00Z")).toEqual([
      "2011-12-29T22:00",
      "2011-12-30T22:00",
    ]);
  });

  it("count either kind of day where both are named, as in a crontab", () => {
    expect(timesOf("0 0 13 * 5", "UTC", "2026-01-01T00:00Z", "2026-01-20T00:00Z")).toEqual([
      "2026-01-02T00:00",
      "2026-01-09T00:00",
      "2026-01-13T00:00",
      "2026-01-16T00:00",
    ]);
  });

  it("are far away if need be", () => {
    expect(nextTime({ cron: "0 0 29 2 *", timezone: "UTC" }, Date.parse("2096-03-01"))).toBe(Date.parse("2104-02-29"));
  });

  // The ids of runs follow from the times: two that ask at different moments must get the same ones.
  it.each([
    ["Europe/Berlin", "30 2 * * *", "2026-03-28T22:00Z"],
    ["Europe/Berlin", "30 2 * * *", "2026-10-24T22:00Z"],
    ["Europe/Berlin", "15 1-3 * * *", "2026-10-24T22:00Z"],
    ["America/New_York", "45 1 * * *", "2026-11-01T03:00Z"],
    ["America/New_York", "* 2 * * *", "2026-03-08T05:00Z"],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T13:00Z"],
    ["Africa/Cairo", "30 0 * * *", "2026-04-23T20:00Z"],
    ["Asia/Kolkata", "0 */2 * * *", "2026-10-24T22:00Z"],
  ])("are the same from every moment: %s, %s", (timezone, cron, from) => {
    const schedule = { cron, timezone };
    const [begin, end] = [Date.parse(from), Date.parse(from) + 8 * 60 * MINUTE];
    const known = timesOf(cron, timezone, from, new Date(end).toISOString()).map((time) => Date.parse(`${time}Z`));
    for (let moment = begin; moment < end; moment += MINUTE) {
      const next = nextTime(schedule, moment) ?? 0;
      if (next < end) expect(next, new Date(moment).toISOString()).toBe(known.find((time) => time > moment));
      const last = lastTime(schedule, moment) ?? 0;
      if (last > begin) expect(last, new Date(moment).toISOString()).toBe(known.findLast((time) => time <= moment));
    }
  });
});

describe("the last time", () => {
  const daily = { cron: "0 6 * * *", timezone: "UTC" };

  it.each([
    ["2026-11-20T05:59:59.999Z", "2026-11-19T06:00Z"],
    ["2026-11-20T06:00:00.000Z", "2026-11-20T06:00Z"],
    ["2026-11-20T06:00:59.999Z", "2026-11-20T06:00Z"],
    ["2026-11-21T05:59:00.000Z", "2026-11-20T06:00Z"],
  ])("at %s is %s", (now, time) => {
    expect(lastTime(daily, Date.parse(now))).toBe(Date.parse(time));
  });
});

describe("the times between two moments", () => {
  const hourly = { cron: "0 * * * *", timezone: "UTC" };

  it("are counted without the moments themselves", () => {
    const [after, before] = [Date.parse("2026-11-20T06:00Z"), Date.parse("2026-11-20T09:00Z")];
    expect(timesBetween(hourly, after, before, 10)).toEqual({ count: 2, first: Date.parse("2026-11-20T07:00Z") });
    expect(timesBetween(hourly, after, after + 60 * MINUTE, 10)).toEqual({ count: 0, first: null });
  });

  it("are counted to a limit", () => {
    expect(timesBetween(hourly, 0, Date.parse("2026-11-20"), 10).count).toBe(10);
  });
});
