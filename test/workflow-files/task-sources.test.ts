import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LoadedTasks, loadTasks } from "../../src/runtime/operations/load-tasks.ts";
import type { TaskDefinition } from "../../src/workflow/definition.ts";

/** What `baton run --tasks` makes of the files that are there. */
let room = "";
beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), "baton-task-sources-"));
});
afterEach(() => rmSync(room, { recursive: true, force: true }));

function put(path: string, text: string | Uint8Array): void {
  const file = join(room, "repository", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function load(
  pattern: string,
  more: { tag?: string; directory?: string; others?: TaskDefinition[] } = {},
): LoadedTasks {
  const root = join(room, "repository");
  const { tag, directory = "", others = [] } = more;
  return loadTasks({ pattern, root, directory: join(root, directory), tag, others });
}

function taskFile(id: string, rows: Readonly<Record<string, string>> = {}): string {
  const table = Object.entries({ Status: "pending", ...rows }).map(([key, value]) => `| ${key} | ${value} |`);
  return `# Task ${id}: Name of ${id}\n\n| Field | Value |\n|---|---|\n${table.join("\n")}\n`;
}

const MASTER = ".taskmaster/tasks/tasks.json";

describe("--tasks", () => {
  it("takes task files, what is done left out", () => {
    put("tasks/README.md", "# About\n");
    put("tasks/task-1.md", taskFile("task-1", { Status: "completed" }));
    put("tasks/task-2.md", taskFile("task-2", { "Depends On": "task-1" }));
    put("tasks/task-3.md", taskFile("task-3", { "Depends On": "task-2, task-1", Priority: "high" }));
    expect(load("tasks/*.md")).toMatchObject({
      tasks: [
        {
          id: "task-2",
          dependsOn: [],
          source: { format: "task-file", path: "tasks/task-2.md", id: "task-2", tag: null },
        },
        { id: "task-3", dependsOn: ["task-2"], priority: "high" },
      ],
      notes: [],
    });
  });

  it("takes a tasks.json of Task Master: the current tag, or the one that is wanted", () => {
    put(
      MASTER,
      JSON.stringify({ master: { tasks: [{ id: 1 }] }, next: { tasks: [{ id: 2 }, { id: 3, status: "review" }] } }),
    );
    const ids = (tag?: string) => load(MASTER, tag === undefined ? {} : { tag }).tasks.map(({ id }) => id);
    expect(ids()).toEqual(["task-1"]);
    expect(ids("next")).toEqual(["task-2"]);
    put(".taskmaster/state.json", JSON.stringify({ currentTag: "next" }));
    expect(load(MASTER)).toMatchObject({
      tasks: [{ id: "task-2", source: { format: "task-master", path: MASTER, id: "2", tag: "next" } }],
      notes: ["Left out: task-3 (review)."],
    });
    expect(() => load(MASTER, { tag: "nope" })).toThrow(`${MASTER} has no tag nope; its tags are master, next.`);
  });

  it("takes a tasks.md of Spec Kit and an issues.jsonl of beads, from a folder below the root too", () => {
    put("specs/001/tasks.md", "- [x] T001 Begin\n- [ ] T002 Go on\n");
    put(".beads/issues.jsonl", `{"id":"bd-1","title":"One"}\n`);
    expect(load("tasks.md", { directory: "specs/001" }).tasks).toMatchObject([
      { id: "T002", dependsOn: [], source: { format: "spec-kit", path: "specs/001/tasks.md" } },
    ]);
    expect(load("../../.beads/*.jsonl", { directory: "specs/001" }).tasks).toMatchObject([
      { id: "bd-1", source: { format: "beads", path: ".beads/issues.jsonl" } },
    ]);
  });

  it("takes several kinds at once, and lets tasks wait for those of the workflow", () => {
    put("tasks/task-9.md", taskFile("task-9", { "Depends On": "T002, own-1" }));
    put("tasks/tasks.md", "- [ ] T002 Go on\n");
    const own: TaskDefinition = { id: "own-1", name: "", priority: "low", dependsOn: [], start: null, brief: "" };
    expect(load("tasks/*", { others: [own] }).tasks).toMatchObject([{ dependsOn: ["T002", "own-1"] }, { id: "T002" }]);
  });

  it("outside of the repository is read and not written back", () => {
    put("x", "");
    writeFileSync(join(room, "tasks.md"), "- [ ] T001 Begin\n");
    const { tasks, notes } = load("../tasks.md");
    expect(tasks).toMatchObject([{ id: "T001" }]);
    expect(tasks[0]).not.toHaveProperty("source");
    expect(notes).toEqual(["../tasks.md is outside of the repository: progress is not written back to it."]);
  });
});

describe("--tasks refuses", () => {
  it("a link that leads out of the repository", () => {
    put("tasks/task-1.md", taskFile("task-1"));
    writeFileSync(join(room, "secret"), "the key");
    symlinkSync(join(room, "secret"), join(room, "repository/tasks/task-2.md"));
    expect(() => load("tasks/*.md")).toThrow("tasks/task-2.md is a link that leads out of the repository.");
  });

  it.each<[string, string, string | Uint8Array, string]>([
    ["nothing that is a task", "tasks/a.md", "# Notes\n", "No task was found in tasks/*."],
    ["a file that is two things", "tasks/a.md", `${taskFile("1")}\n- [ ] T001 x\n`, "tasks/a.md is both a task file"],
    ["a file of another kind", "tasks/a.yaml", "a: 1", "tasks/a.yaml is of no kind that tasks are read from."],
    [
      "broken JSON, with its place",
      "tasks/a.json",
      `{ "tasks": [\n  { "id": 1,, } ] }`,
      "tasks/a.json is not JSON, in line 2",
    ],
    ["other JSON", "tasks/a.json", `{ "name": "shop" }`, "tasks/a.json is not a tasks.json of Task Master"],
    [
      "a merge that is not finished",
      "tasks/a.jsonl",
      "<<<<<<< ours\n",
      "tasks/a.jsonl has an unfinished merge in line 1.",
    ],
    ["bytes that are no text", "tasks/a.md", Uint8Array.of(0x23, 0xff, 0xfe), "tasks/a.md is not UTF-8 text."],
    [
      "a file that is too large",
      "tasks/a.md",
      Buffer.alloc(16_777_217, 32),
      "tasks/a.md is larger than 16777216 bytes.",
    ],
    [
      "tasks that wait for each other",
      "tasks/a.json",
      `{"tasks":[{"id":1,"dependencies":[2]},{"id":2,"dependencies":[1]}]}`,
      "tasks/a.json: these tasks wait for each other: task-1 needs task-2 needs task-1.",
    ],
    [
      "a dependency that is not there",
      "tasks/a.json",
      `{"tasks":[{"id":1,"dependencies":[9]}]}`,
      "tasks/a.json: 1 depends on task-9, which is in none of the files.",
    ],
    [
      "one id twice",
      "tasks/a.json",
      `{"tasks":[{"id":1},{"id":"1"}]}`,
      "The task task-1 stands twice in tasks/a.json.",
    ],
    [
      "nothing that is left to do",
      "tasks/a.json",
      `{"tasks":[{"id":1,"status":"done"}]}`,
      "All tasks are done in tasks/*.",
    ],
    [
      "what somebody has put aside",
      "tasks/a.json",
      `{"tasks":[{"id":1,"status":"deferred"},{"id":2,"dependencies":[1]}]}`,
      "Nothing is left to do but task-1 (deferred), task-2 (waits for task-1) in tasks/*.",
    ],
  ])("%s", (_what, path, content, message) => {
    put(path, content);
    expect(() => load("tasks/*")).toThrow(message);
  });
});
