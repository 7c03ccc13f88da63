import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadTasks } from "../../src/runtime/operations/load-tasks.ts";
import type { Progress } from "../../src/workflow/tasks/found-task.ts";
import { writeSource } from "../../src/workflow/tasks/task-sources.ts";

/**
 * Task Master's own command line reads what we wrote, and we read what it wrote. It is not a part of this project:
 * install `task-master-ai` elsewhere and name its program, `BATON_TASK_MASTER=.../node_modules/.bin/task-master`.
 */
const PROGRAM = process.env["BATON_TASK_MASTER"] ?? "";
const whyNot = PROGRAM === "" ? "set BATON_TASK_MASTER to the program task-master of the package task-master-ai" : "";
const FILE = ".taskmaster/tasks/tasks.json";

let room = "";
beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), "baton-task-master-"));
  mkdirSync(join(room, "home"));
  put(".taskmaster/config.json", JSON.stringify({ models: {}, global: { projectName: "shop", defaultTag: "master" } }));
});
afterEach(() => rmSync(room, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(room, "shop", path)), { recursive: true });
  writeFileSync(join(room, "shop", path), text);
}

function get(): string {
  return readFileSync(join(room, "shop", FILE), "utf8");
}

/** Without a network where the machine can do that, and with a home of its own. */
const alone = spawnSync("unshare", ["-rn", "true"]).status === 0 ? ["unshare", "-rn"] : [];

function taskMaster(...args: string[]): string {
  const [program = "", ...rest] = [...alone, PROGRAM, ...args];
  const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  const env = { HOME: join(room, "home"), PATH: path, CI: "1", NO_COLOR: "1" };
  return execFileSync(program, rest, { cwd: join(room, "shop"), env, encoding: "utf8", timeout: 60_000 });
}

interface Listed {
  readonly id: string | number;
  readonly status: string;
  readonly metadata?: unknown;
  readonly subtasks?: readonly Listed[];
}

/** What it lists, subtasks with their dotted ids. */
function listed(): Record<string, string> {
  const { tasks } = JSON.parse(jsonIn(taskMaster("list", "--json", "--with-subtasks"))) as { tasks: Listed[] };
  const parts = (task: Listed): [string, string][] =>
    (task.subtasks ?? []).map(({ id, status }) => [`${task.id}.${id}`, status]);
  return Object.fromEntries(tasks.flatMap((task) => [[String(task.id), task.status], ...parts(task)]));
}

/** It may say something for people after the JSON. */
function jsonIn(text: string): string {
  return text.slice(text.indexOf("{"), text.lastIndexOf("\n}") + 2);
}

function write(id: string, progress: Progress): void {
  const source = { format: "task-master", path: FILE, id, tag: "master" } as const;
  const written = writeSource(get(), { source, progress }, "2026-03-01T10:00:00.000Z");
  if (written.kind === "changed") put(FILE, written.text);
}

/** Ids of the tasks that a run would take, with what each waits for. */
function taken(): Record<string, readonly string[]> {
  const shop = join(room, "shop");
  const { tasks } = loadTasks({ pattern: FILE, directory: shop, root: shop, tag: undefined, others: [] });
  return Object.fromEntries(tasks.map(({ id, dependsOn }) => [id, dependsOn]));
}

const TASKS = [
  { id: 1, title: "Read bookings", description: "d", status: "pending", dependencies: [], priority: "high" },
  {
    id: 2,
    title: "Convert currencies",
    description: "d",
    status: "pending",
    dependencies: [1],
    priority: "medium",
    metadata: { ticket: "SHOP-2" },
    subtasks: [
      { id: 1, title: "Rates", description: "", status: "pending", dependencies: [] },
      { id: 2, title: "Round", description: "", status: "pending", dependencies: [1] },
    ],
  },
  { id: 3, title: "Report", description: "d", status: "pending", dependencies: [2], priority: "low" },
];

const SHAPES: readonly (readonly [string, unknown])[] = [
  ["with tags", { master: { tasks: TASKS, metadata: { description: "All" } } }],
  ["of the older shape", { tasks: TASKS, metadata: { projectName: "shop" } }],
];

describe("Task Master's own command line", () => {
  it.for(SHAPES)(
    "reads a tasks.json %s that we wrote, and we read the one it wrote",
    { timeout: 300_000 },
    ([_shape, document], { skip }) => {
      if (whyNot !== "") return skip(whyNot);
      put(FILE, JSON.stringify(document, null, 2));
      expect(taken()).toEqual({
        "task-1": [],
        "task-2.1": ["task-1"],
        "task-2.2": ["task-1", "task-2.1"],
        "task-3": ["task-2.1", "task-2.2"],
      });
      write("1", "done");
      write("2.1", "in-progress");
      write("3", "failed");
      expect(listed()).toEqual({
        "1": "done",
        "2": "in-progress",
        "2.1": "in-progress",
        "2.2": "pending",
        "3": "blocked",
      });
      taskMaster("set-status", "--id=2.1", "--status=done");
      taskMaster("set-status", "--id=3", "--status=pending");
      expect(taken()).toEqual({ "task-2.2": [], "task-3": ["task-2.2"] });
      // Its ids are texts by now; we write into that too.
      write("2.2", "done");
      write("3", "in-progress");
      expect(listed()).toEqual({ "1": "done", "2": "done", "2.1": "done", "2.2": "done", "3": "in-progress" });
      expect(get()).toContain("SHOP-2");
      expect(taskMaster("validate-dependencies")).toContain("All Dependencies Are Valid");
      expect(taken()).toEqual({ "task-3": [] });
    },
  );
});
