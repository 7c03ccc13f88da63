import { describe, expect, it } from "vitest";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { workflowSchema } from "../../src/workflow/file/workflow-schema.ts";
import { codec } from "../../src/workflow/stored/codec.ts";
import { compileSchema, schemaErrors } from "../schema/two-judgements.ts";
import { diagnose, unmark } from "./marked-text.ts";

const HEAD = `baton: 1
name: sample
start: builder
agents:
  builder:
    run: { process: [build] }
    dialect: pipeline-json
    routes: { done: end }
`;

function withSchedules(lines: string): string {
  return `${HEAD}schedules:\n  ${lines.replaceAll("\n", "\n  ")}\n`;
}

function withCron(cron: string): string {
  return withSchedules(`nightly: { cron: "${cron}" }`);
}

function read(text: string): ReturnType<typeof readWorkflow> {
  return readWorkflow(text, { path: "baton.yaml", hash: "hash" });
}

describe("schedules of a workflow file", () => {
  it("are read with their defaults", () => {
    const { schedules, diagnostics } = read(withCron("0 6 * * 1-5"));
    expect(diagnostics).toEqual([]);
    expect(schedules).toEqual([
      { name: "nightly", cron: "0 6 * * 1-5", timezone: "UTC", brief: "", overlap: "skip", missed: "skip" },
    ]);
  });

  it("are read as they are written", () => {
    const { schedules, diagnostics } = read(
      withSchedules(`weekly:
  cron: 30 5 * * mon
  timezone: Europe/Berlin
  brief: Update the dependencies.
  overlap: allow
  missed: latest
monthly: { cron: 0 0 1 * * }`),
    );
    expect(diagnostics).toEqual([]);
    expect(schedules.map(({ name }) => name)).toEqual(["weekly", "monthly"]);
    expect(schedules[0]).toEqual({
      name: "weekly",
      cron: "30 5 * * mon",
      timezone: "Europe/Berlin",
      brief: "Update the dependencies.",
      overlap: "allow",
      missed: "latest",
    });
  });

  it("are no part of the definition that a run is pinned to", () => {
    const [plain, scheduled] = [read(HEAD), read(withCron("0 6 * * *"))].map(({ workflow }) => workflow!);
    expect(codec.encodeWorkflow(scheduled!)).toEqual(codec.encodeWorkflow(plain!));
  });

  it.each([
    "* * * * *",
    "*/5 * * * *",
    "0,15,30,45 8-17 * * 1-5",
    "0-59/10 * * * *",
    "05 06 01 * *",
    "0 0 29 2 *",
    "0 0 31 4 1",
    "0 6 * JAN-MAR Mon,WED",
    "0 6 * * fri-sun",
    "0 6 * * 0-7",
    "0 6 * * 7",
    "0  6  *  *  *",
    "59 23 31 12 6",
    "0 0 */15 * *",
  ])("may come at %s", (cron) => {
    expect(diagnose(withCron(cron)).words).toBe("");
  });

  it.each([
    ["0 «24» * * *", "bad-format", "`24` is no hour. An hour is 0 to 23"],
    ["«60» * * * *", "bad-format", "`60` is no minute."],
    ["0 0 «0» * *", "bad-format", "`0` is no day of the month."],
    ["0 0 * «13» *", "bad-format", "`13` is no month."],
    ["0 0 * * «8»", "bad-format", "`8` is no weekday."],
    ["0 0 * * «monday»", "bad-format", "`monday` is no weekday."],
    ["«1.5» * * * *", "bad-format", "`1.5` is no minute."],
    ["«-1» * * * *", "bad-format", "`-1` is no minute."],
    ["«1,,2» * * * *", "bad-format", "beside a comma"],
    ["«*/0» * * * *", "bad-format", "is 1 to 59; found 0"],
    ["«*/90» * * * *", "bad-format", "every hour"],
    ["«5/15» * * * *", "bad-format", "Write 5-59/15"],
    ["0 «22-4» * * *", "bad-format", "Write two ranges: 22-23,0-4"],
    ["0 0 «L» * *", "bad-format", "`L` is no day of the month."],
    ["0 0 * * «1#1»", "bad-format", "`1#1` is no weekday."],
    ["«H» * * * *", "bad-format", "`H` is no minute."],
    ["0 0 «?» * *", "bad-format", "`?` is no day of the month."],
  ])("may not come at %s: the field is pointed at", (marked, code, words) => {
    const { text, spans } = unmark(withCron(marked));
    const told = diagnose(text);
    expect(told.found).toEqual([`${code} ${spans[0]}`]);
    expect(told.words).toContain(words);
  });

  it.each([
    [
      "seconds",
      'cron: «"0 0 6 * * 1"»',
      "bad-format",
      "no seconds, only whole minutes. Leave out the first one: 0 6 * * 1",
    ],
    ["a short form", 'cron: «"@daily"»', "bad-format", "Write 0 0 * * *"],
    ["too few fields", 'cron: «"0 6 * *"»', "bad-format", "five fields"],
    ["tabs", 'cron: «"0\\t6\\t*\\t*\\t*"»', "bad-format", "five fields"],
    ["words", 'cron: «"every day at six o\'clock please"»', "bad-format", "five fields"],
    ["a day that no month has", 'cron: «"0 0 30 2 *"»', "inconsistent", "never comes"],
    ["the 31st of short months", 'cron: «"0 0 31 4,6,9,11 *"»', "inconsistent", "never comes"],
    ["a number", "cron: «5»", "wrong-type", "must be text"],
    [
      "a misspelt time zone",
      "cron: 0 6 * * 1, timezone: «Europe/Berln»",
      "unknown-name",
      "Did you mean Europe/Berlin?",
    ],
    ["an offset", 'cron: 0 6 * * 1, timezone: «"+02:00"»', "unknown-name", "IANA"],
    [
      "the time zone of the machine",
      "cron: 0 6 * * 1, timezone: «local»",
      "unknown-name",
      "No time zone is called `local`",
    ],
    ["another word", "cron: 0 6 * * 1, overlap: «wait»", "not-allowed", "one of skip, allow"],
    ["another word for missed times", "cron: 0 6 * * 1, missed: «all»", "not-allowed", "one of skip, latest"],
    ["a key that means nothing", "cron: 0 6 * * 1, «tz»: UTC", "unknown-key", "`tz` means nothing here"],
  ])("may not have %s", (_what, marked, code, words) => {
    const { text, spans } = unmark(withSchedules(`nightly: { ${marked} }`));
    const told = diagnose(text);
    expect(told.found.map((found) => found.split(" ")[0])).toEqual([code]);
    expect(told.spans).toEqual(spans);
    expect(told.words).toContain(words);
  });

  it("need a time and a name that can be one", () => {
    expect(diagnose(withSchedules("nightly: {}")).words).toContain("`schedules.nightly.cron` is missing");
    expect(diagnose(withSchedules('"every night": { cron: 0 6 * * 1 }')).words).toContain(
      "The name of a schedule must be",
    );
  });

  it("have different names", () => {
    const { text, spans } = unmark(withSchedules("nightly: { cron: 0 6 * * 1 }\n«nightly»: { cron: 0 7 * * 1 }"));
    expect(diagnose(text).found).toEqual([`duplicate-key ${spans[0]}`]);
  });

  it("are a map, and not more than a hundred", () => {
    expect(diagnose(`${HEAD}schedules: [{ cron: 0 6 * * 1 }]\n`).found[0]).toContain("wrong-type");
    const many = Array.from({ length: 101 }, (_, index) => `n${index}: { cron: 0 6 * * 1 }`).join("\n");
    expect(diagnose(withSchedules(many)).words).toContain("100 entries under schedules; here are 101");
  });

  it("are left out whole when the file has an error", () => {
    expect(read(withSchedules("good: { cron: 0 6 * * 1 }\nwrong: { cron: 0 66 * * 1 }"))).toMatchObject({
      workflow: null,
      schedules: [],
    });
  });

  it("are no part of a file that is about sessions alone", () => {
    const text = "baton: 1\nsessions: { main: { format: task-yaml } }\nschedules: { a: { cron: 0 6 * * 1 } }\n";
    expect(diagnose(text).words).toContain("`schedules` means nothing here");
  });

  it("are described to editors", () => {
    const validate = compileSchema(workflowSchema());
    const agents = { builder: { run: { process: ["build"] }, dialect: "pipeline-json", routes: { done: "end" } } };
    const file = { baton: 1, name: "sample", start: "builder", agents };
    const judge = (schedule: object): string[] => schemaErrors(validate, { ...file, schedules: { nightly: schedule } });
    expect(judge({ cron: "0 6 * * 1-5", timezone: "Europe/Berlin", overlap: "skip" })).toEqual([]);
    expect(judge({ cron: "0 0 6 * * 1-5" })).not.toEqual([]);
    expect(judge({ cron: "0 6 * * 1-5", timezone: "+02:00" })).not.toEqual([]);
    expect(judge({ timezone: "UTC" })).not.toEqual([]);
    expect(schemaErrors(validate, { ...file, schedules: { "every night": { cron: "0 6 * * *" } } })).not.toEqual([]);
  });
});
