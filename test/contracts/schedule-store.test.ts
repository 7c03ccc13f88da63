import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScheduleStore } from "../../src/stores/open-schedule-store.ts";
import { describeScheduleStore } from "./schedule-store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-schedule-store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (): string => join(folder, "schedules.db");

describeScheduleStore("a file of SQLite", () => openScheduleStore(place()));

describe("the file of decisions", () => {
  const decision = {
    schedule: "s",
    due: 60_000,
    kind: "start",
    run: "r",
    missed: 0,
    missedSince: null,
    at: 1,
  } as const;

  it("is made by the first decision, and not by a look", async () => {
    const store = openScheduleStore(place());
    await store.decisions("s", 1, 1);
    expect(existsSync(place())).toBe(false);
    await store.decide(decision);
    expect(existsSync(place())).toBe(true);
  });

  it("is refused when a newer version has written it, or when it is no database", async () => {
    const store = openScheduleStore(place());
    await store.decide(decision);
    const database = new DatabaseSync(place());
    database.exec("PRAGMA user_version = 2");
    database.close();
    await expect(store.decisions("s", 60_000, 1)).rejects.toThrow("newer version");
    await expect(store.decide(decision)).rejects.toThrow("newer version");
    writeFileSync(place(), "something else, which is long enough to be looked at\n".repeat(40));
    await expect(store.decide(decision)).rejects.toThrow();
  });
});
