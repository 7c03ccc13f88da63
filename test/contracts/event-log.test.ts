import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { describeEventLog } from "./event-log.ts";
import { openThreadedLog } from "./open-threaded-log.ts";
import { describePruning } from "./pruning.ts";
import { describeRunLists } from "./run-lists.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-log-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;

describeEventLog("memory", openMemoryLog);
describeRunLists("memory", openMemoryLog);
describePruning("memory", openMemoryLog);
describeEventLog("SQLite", () => openSqliteLog(join(folder, `${opened++}.db`)));
describeRunLists("SQLite", () => openSqliteLog(join(folder, `${opened++}.db`)));
describePruning("SQLite", () => openSqliteLog(join(folder, `${opened++}.db`)));
const openThreaded = async () => (await openThreadedLog(join(folder, `${opened++}.db`))).log;
describeEventLog("SQLite, by a thread", openThreaded);
describePruning("SQLite, by a thread", openThreaded);
