import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Ports } from "../../src/ports/ports.ts";
import { ScheduleKeeper } from "../../src/runtime/schedules/schedule-keeper.ts";
import { readRepositoryInfo } from "../../src/main/read-repository-info.ts";
import { projectRoot } from "../architecture/source-files.ts";
import { type ScheduleRoom, DAY, at, logWith, scheduleRoom, workflowWith } from "./schedule-room.ts";

const FIVE = workflowWith(["a", "b", "c", "d", "e"].map((name) => `${name}: { cron: 0 6 * * * }`).join("\n"));
const DAILY = workflowWith("daily: { cron: 0 6 * * * }");

/** Looks once at all schedules in a process of its own. */
async function look({ folder, configFolder }: ScheduleRoom, now: number, before = ""): Promise<number | null> {
  const modules = ["main/open-engine", "main/read-repository-info", "runtime/schedules/schedule-keeper"].map((name) =>
    JSON.stringify(join(projectRoot, `src/${name}.ts`)),
  );
  const script = `
    const [{ openEngine }, { readRepositoryInfo }, { ScheduleKeeper }] = await Promise.all([${modules.map((name) => `import(${name})`).join()}]);
    const real = openEngine(${JSON.stringify(folder)}, ${JSON.stringify(configFolder)});
    const ports = Object.create(real.ports, { clock: { value: { now: () => ${now}, id: () => real.ports.clock.id() } } });
    ${before}
    const operator = { configFolder: ${JSON.stringify(configFolder)}, repositoryInfo: readRepositoryInfo(${JSON.stringify(folder)}), searchPath: process.env.PATH };
    await new ScheduleKeeper({ engine: { ...real, ports }, operator, notify: () => undefined }).keep();
    await real.close();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code)));
}

/** Kills the process where it calls this method of the log. */
function killedAt(method: "create" | "release"): string {
  return `const log = new Proxy(real.ports.log, { get: (log, key) => key === "${method}" ? () => process.kill(process.pid, "SIGKILL") : log[key].bind(log) });
    Object.defineProperty(ports, "log", { value: log });`;
}

describe("a due time", () => {
  it("starts one run when several processes look at the same time", async () => {
    const room = scheduleRoom(FIVE);
    const { runs, drive } = room.open();
    expect(await Promise.all([1, 2, 3, 4].map(() => look(room, at(6))))).toEqual([0, 0, 0, 0]);
    expect(await runs()).toHaveLength(5);
    await drive();
    expect((await runs()).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "completed"));
  });

  it("starts one run when two servers of one state look at the same time, and one of them tells it", async () => {
    const room = scheduleRoom(FIVE);
    const both = [room.open(), room.open()];
    for (let days = 0; days < 3; days++) {
      for (const { setClock } of both) setClock(at(6) + days * DAY);
      await Promise.all(both.map(({ keeper }) => keeper.keep()));
      await both[0]?.drive();
    }
    expect(await both[0]?.runs()).toHaveLength(15);
    const notes = both.flatMap((each) => each.notes);
    expect(notes.filter((note) => note.includes("was started"))).toHaveLength(15);
    expect(notes).toHaveLength(15);
  });

  it.each([
    ["before it was decided", "real.schedules.decide = () => process.kill(process.pid, 'SIGKILL');"],
    ["between the decision and the run", killedAt("create")],
    ["right after the run was stored", killedAt("release")],
  ])("starts one run although the process was killed %s", async (_when, kill) => {
    const room = scheduleRoom(DAILY);
    expect(await look(room, at(6), kill)).toBeNull();
    const { keeper, setClock, runs, drive } = room.open();
    for (const moment of [at(6, 0, 40), at(6, 1), at(9)]) {
      setClock(moment);
      await keeper.keep();
    }
    expect(await runs()).toHaveLength(1);
    await drive();
    expect((await runs()).map(({ status }) => status)).toEqual(["completed"]);
  });

  it("stays without a run when it was decided on, the process was killed, and it is too late now", async () => {
    const room = scheduleRoom(DAILY);
    const kill = killedAt("create");
    await look(room, at(6), kill);
    const { keeper, setClock, runs, list } = room.open();
    setClock(at(9));
    await keeper.keep();
    expect(await runs()).toEqual([]);
    expect((await list()).items[0]?.last).toMatchObject({ result: "failed", due: at(6) });
  });

  it("starts no second run when what was decided is lost", async () => {
    const room = scheduleRoom(DAILY);
    const { keeper, setClock, runs, engine } = room.open();
    setClock(at(6));
    await keeper.keep();
    rmSync(join(engine.stateFolder, "schedules.db"));
    setClock(at(6, 1));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
  });

  it("is tried again while its run cannot be stored, and says why", async () => {
    const room = scheduleRoom(DAILY);
    const { engine, setClock, runs, list } = room.open();
    const notes: string[] = [];
    let isFull = true;
    const { log } = engine.ports;
    const create: typeof log.create = async (...run) => {
      if (isFull) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      return log.create(...run);
    };
    const ports = Object.create(engine.ports, { log: { value: logWith(log, { create }) } }) as Ports;
    const operator = {
      configFolder: room.configFolder,
      repositoryInfo: readRepositoryInfo(room.folder),
      searchPath: process.env["PATH"] ?? "",
    };
    const keeper = new ScheduleKeeper({
      engine: { ...engine, ports },
      operator,
      notify: (note) => void notes.push(note),
    });
    for (const moment of [at(6), at(6, 1)]) {
      setClock(moment);
      await keeper.keep();
    }
    expect(await runs()).toEqual([]);
    expect(notes).toEqual(["Schedule daily of baton.yaml: its run could not be started: the disk is full"]);
    expect((await list()).items[0]?.last).toMatchObject({
      result: "waiting",
      says: expect.stringContaining("disk is full"),
    });
    isFull = false;
    setClock(at(6, 2));
    await keeper.keep();
    expect(await runs()).toHaveLength(1);
    expect((await list()).items[0]?.last).toMatchObject({ result: "started" });
  });
});
