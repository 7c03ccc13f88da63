import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunList, ScheduleList } from "../../src/api/answers.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { openHttp } from "../../src/main/open-http.ts";
import type { Ports } from "../../src/ports/ports.ts";
import { baton } from "../cli/run-baton.ts";
import { until } from "../http/server-room.ts";
import { type ScheduleRoom, at, scheduleRoom, workflowWith } from "./schedule-room.ts";

const DAILY = workflowWith("daily: { cron: 0 6 * * *, timezone: UTC, brief: Look around. }");

interface Server {
  readonly notes: string[];
  get<T>(path: string): Promise<T>;
}

/** `baton serve` in this process, with a clock that begins at this moment and goes on. */
async function serve({ folder, configFolder }: ScheduleRoom, begin: number, drives = true): Promise<Server> {
  const real = openEngine(folder, configFolder);
  const started = Date.now();
  const clock: Ports["clock"] = { now: () => begin + Date.now() - started, id: () => real.ports.clock.id() };
  const engine = { ...real, ports: Object.create(real.ports, { clock: { value: clock } }) as Ports };
  const notes: string[] = [];
  const options = { port: 0, drives, isDemo: false, webhooks: [] };
  const page = await openHttp(engine, options, {
    configFolder,
    version: "0.0.0-test",
    note: (text) => void notes.push(text),
  });
  onTestFinished(async () => {
    await page.stop();
    await real.close();
  });
  const { origin, searchParams } = new URL(page.link);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  return {
    notes,
    get: async <T>(path: string) => (await fetch(origin + path, { headers })).json() as Promise<T>,
  };
}

describe("baton serve", () => {
  it("starts the run of a schedule when its minute begins, once for two servers, and drives it to its end", async () => {
    const room = scheduleRoom(DAILY);
    const servers = await Promise.all([serve(room, at(5, 59, 58)), serve(room, at(5, 59, 58))]);
    const [first, second] = servers;
    expect(await first.get("/api/schedules")).toMatchObject({ items: [{ name: "daily", next: at(6), last: null }] });
    expect(await first.get("/api/runs")).toMatchObject({ runs: [] });
    const { runs } = await until(
      async () => second.get<RunList>("/api/runs"),
      (list) => list.runs.some(({ status }) => status === "completed"),
    );
    expect(runs).toMatchObject([{ workflow: "timed", brief: "Look around.", status: "completed" }]);
    const [{ run } = { run: "" }] = runs;
    expect(await second.get("/api/schedules")).toMatchObject({
      items: [{ last: { due: at(6), result: "started", run } }],
    });
    const notes = servers.flatMap((server) => server.notes).filter((note) => note.includes("Schedule"));
    expect(notes).toEqual([`baton: Schedule daily of baton.yaml: run ${run} was started.\n`]);
  });

  it("starts nothing with --no-drive", async () => {
    const room = scheduleRoom(DAILY);
    const { get } = await serve(room, at(6, 0, 1), false);
    expect(await get("/api/runs")).toMatchObject({ runs: [] });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await get("/api/runs")).toMatchObject({ runs: [] });
    expect(await get("/api/schedules")).toMatchObject({ items: [{ next: at(6) + 86_400_000 }] });
  });

  it("says what keeps a schedule from starting, on the page and in what it prints", async () => {
    const room = scheduleRoom(DAILY);
    writeFileSync(join(room.folder, "agent.sh"), "echo another\n");
    const { get, notes } = await serve(room, at(6));
    const { notices } = await get<ScheduleList>("/api/schedules");
    expect(notices).toEqual([
      { says: expect.stringContaining("has changed since it was trusted"), fix: "`baton trust baton.yaml`" },
    ]);
    await until(
      () => Promise.resolve(notes.join("")),
      (text) => text.includes("`baton trust baton.yaml`"),
    );
  });
});

describe("the command", () => {
  it("shows schedules where they are checked, trusted, and looked at", async () => {
    const { folder, configFolder } = scheduleRoom(DAILY);
    const home = join(configFolder, "..");
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, "settings") };
    const check = await baton(["check"], { cwd: folder, env });
    expect(check).toMatchObject({ code: 0 });
    expect(check.stdout).toMatch(
      /\nschedules, started while `baton serve` runs\n {2}daily {2}0 6 \* \* \* \(UTC\), next \d{4}-\d\d-\d\d 06:00 UTC\n/,
    );
    const before = await baton(["status"], { cwd: folder, env });
    expect(before.stdout).toContain("daily of baton.yaml  starts nothing  (0 6 * * * UTC)");
    expect(before.stderr).toContain(
      "The schedules of baton.yaml start nothing: it is not trusted. `baton trust baton.yaml`",
    );
    const trust = await baton(["trust"], { cwd: folder, env });
    expect(trust).toMatchObject({ code: 0 });
    expect(trust.stderr).toContain("Its 1 schedule may start runs while `baton serve` runs.");
    const after = await baton(["status"], { cwd: folder, env });
    expect(after.stdout).toMatch(/daily of baton\.yaml {2}next \d{4}-\d\d-\d\d 06:00 UTC {2}\(0 6 \* \* \* UTC\)/);
    expect(after.stderr).not.toContain("start nothing");
    const { schedules } = JSON.parse((await baton(["status", "--json"], { cwd: folder, env })).stdout) as {
      schedules: ScheduleList;
    };
    expect(schedules).toMatchObject({ notices: [], items: [{ name: "daily", notice: null, last: null }] });
    expect(new Date(schedules.items[0]?.next ?? 0).toISOString()).toMatch(/T06:00:00\.000Z$/);
  });

  it("loads nothing that reads schedules where there are none", async () => {
    const { folder, configFolder, write } = scheduleRoom(DAILY);
    write(DAILY.slice(0, DAILY.indexOf("schedules:")));
    const env = { HOME: join(configFolder, ".."), NODE_DEBUG: "module" };
    const { stderr } = await baton(["check"], { cwd: folder, env });
    expect(stderr).toContain("check.cjs");
    expect(stderr).not.toContain("croner.cjs");
    write(DAILY);
    expect((await baton(["check"], { cwd: folder, env })).stderr).toContain("croner.cjs");
  });
});
