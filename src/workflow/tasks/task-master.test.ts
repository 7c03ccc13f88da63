import { describe, expect, it } from "vitest";
import { readTaskMaster, writeTaskMaster } from "./task-master.ts";

const ANY = { wanted: null, current: null };
const read = (value: unknown, tags = ANY) => readTaskMaster(JSON.stringify(value), "tasks.json", tags);

const TAGGED = `{
  "master": {
    "tasks": [
      { "id": 12, "title": "Parse", "description": "d", "status": "done", "dependencies": [], "priority": "high" },
      {
        "id": "15",
        "title": "Sum",
        "details": "With cents.",
        "testStrategy": "Run them.",
        "status": "pending",
        "dependencies": [12, "14"],
        "priority": "critical",
        "metadata": { "estimate": 2.50, "\\u006eote": "kept" },
        "subtasks": [
          { "id": 1, "title": "a", "status": "pending", "dependencies": [] },
          { "id": "2", "title": "b", "status": "pending", "dependencies": [1, "12"], "unknown": [1e2] }
        ]
      },
      { "id": 14, "title": "Round" }
    ],
    "metadata": { "created": "2026-01-01", "description": "Tasks" }
  },
  "later": { "tasks": [{ "id": 1, "title": "Other", "status": "deferred" }] }
}
`;

describe("a tasks.json of Task Master", () => {
  it("is read with numbers or texts as ids, subtasks and their own dependencies, by the ids of 002-R09", () => {
    const { tag, tasks } = readTaskMaster(TAGGED, "tasks.json", ANY);
    expect(tag).toBe("master");
    expect(
      tasks.map(({ id, sourceId, dependsOn, parent, standing }) => [id, sourceId, dependsOn, parent, standing]),
    ).toEqual([
      ["task-12", "12", [], null, "done"],
      ["task-15", "15", ["task-12", "task-14"], null, "open"],
      ["task-15.1", "15.1", [], "task-15", "open"],
      ["task-15.2", "15.2", ["task-15.1", "task-12"], "task-15", "open"],
      ["task-14", "14", [], null, "open"],
    ]);
    expect(tasks[1]).toMatchObject({ priority: "critical", name: "Sum", brief: "With cents.\n\nRun them." });
    expect(tasks[3]).toMatchObject({ priority: "critical", brief: "Part of 15, Sum:\n\nWith cents.\n\nRun them." });
  });

  it("of the older shape is read as the tag master", () => {
    expect(read({ tasks: [{ id: 1, title: "A" }], metadata: {} })).toMatchObject({
      tag: "master",
      tasks: [{ id: "task-1", standing: "open", word: "pending" }],
    });
  });

  it.each([
    ["pending", "open"],
    ["in-progress", "open"],
    ["done", "done"],
    ["completed", "done"],
    ["cancelled", "done"],
    ["review", "held"],
    ["deferred", "held"],
    ["blocked", "held"],
    ["something new", "held"],
  ])("has tasks that are %s: %s", (status, standing) => {
    expect(read({ tasks: [{ id: 1, status }] }).tasks).toMatchObject([{ standing, word: status }]);
  });

  it("is read by the tag that is wanted, else the current one, else master, else the only one", () => {
    const tags = (wanted: string | null, current: string | null) =>
      readTaskMaster(TAGGED, "t.json", { wanted, current }).tag;
    expect([tags("later", null), tags(null, "later"), tags(null, "gone"), tags("master", "later")]).toEqual([
      "later",
      "later",
      "master",
      "master",
    ]);
    expect(read({ only: { tasks: [] } }).tag).toBe("only");
    expect(() => tags("nope", null)).toThrow("t.json has no tag nope; its tags are master, later.");
    expect(() => read({ a: { tasks: [] }, b: { tasks: [] } })).toThrow(
      "has several tags and none is the current one: a, b.",
    );
  });

  it.each([
    ["{ tasks: 1", "is not JSON, in line 1, column 3"],
    ["[]", "is not a tasks.json of Task Master"],
    [`{ "name": "x", "version": "1" }`, "is not a tasks.json of Task Master"],
    [`{ "tasks": [], "master": { "tasks": [] } }`, "it is not clear which one counts"],
    [`{ "tasks": [], "other": { "tasks": [] } }`, "it is not clear which one counts"],
    [`{ "tasks": [{ "id": 1 }, { "title": "x" }] }`, "has no id in task 2 of the tag master"],
    [`{ "tasks": [{ "id": 1, "subtasks": [{ "id": {} }] }] }`, "has no id in subtask 1 of task 1"],
    [`{ "tasks": [{ "id": "a b" }] }`, "has no id in task 1"],
  ])("that is %s is refused", (text, message) => {
    expect(() => readTaskMaster(text, "tasks.json", ANY)).toThrow(message);
  });
});

describe("a status in a tasks.json", () => {
  it("is written in its place, and every other byte stays", () => {
    const written = writeTaskMaster(TAGGED, "14", "master", "in-progress");
    expect(written).toMatchObject({ kind: "changed" });
    const text = written.kind === "changed" ? written.text : "";
    expect(text).toBe(TAGGED.replace(`"title": "Round" }`, `"title": "Round", "status": "in-progress" }`));
    expect(writeTaskMaster(text, "14", "master", "in-progress")).toEqual({ kind: "same" });
    expect(writeTaskMaster(text, "14", "master", "done")).toEqual({
      kind: "changed",
      text: text.replace(`"status": "in-progress" }`, `"status": "done" }`),
    });
  });

  it("of a subtask takes its task along, as Task Master does itself", () => {
    const [first, second] = [`"title": "a", "status": "pending"`, `"title": "b", "status": "pending"`];
    const whole = `"Run them.",\n        "status": "pending"`;
    const started = TAGGED.replace(first, `"title": "a", "status": "in-progress"`).replace(
      whole,
      whole.replace("pending", "in-progress"),
    );
    expect(writeTaskMaster(TAGGED, "15.1", "master", "in-progress")).toEqual({ kind: "changed", text: started });
    const half = started.replace(`"title": "a", "status": "in-progress"`, `"title": "a", "status": "done"`);
    expect(writeTaskMaster(started, "15.1", "master", "done")).toEqual({ kind: "changed", text: half });
    const all = half
      .replace(second, `"title": "b", "status": "done"`)
      .replace(whole.replace("pending", "in-progress"), whole.replace("pending", "done"));
    expect(writeTaskMaster(half, "15.2", "master", "done")).toEqual({ kind: "changed", text: all });
  });

  it("of a subtask leaves its task alone when neither says how it stands", () => {
    const parts = `[{"id":1,"status":"pending"},{"id":2,"status":"deferred"}]`;
    const text = `{"tasks":[{"id":1,"status":"review","subtasks":${parts}}]}`;
    expect(writeTaskMaster(text, "1.1", "master", "blocked")).toEqual({
      kind: "changed",
      text: text.replace("pending", "blocked"),
    });
    expect(writeTaskMaster(text.replace("deferred", "blocked"), "1.2", "master", "pending")).toMatchObject({
      text: text.replace("deferred", "pending").replace("review", "pending"),
    });
  });

  it("goes into the tag it came from, and into the older shape", () => {
    expect(writeTaskMaster(TAGGED, "1", "later", "done")).toMatchObject({ text: TAGGED.replace("deferred", "done") });
    expect(writeTaskMaster(`\uFEFF{"tasks":[{"id":"1","status":"pending"}]}`, "1", "master", "blocked")).toEqual({
      kind: "changed",
      text: `\uFEFF{"tasks":[{"id":"1","status":"blocked"}]}`,
    });
    expect(writeTaskMaster(`{"tasks":[{"id":1}]}`, "1", "master", "failed")).toMatchObject({
      text: `{"tasks":[{"id":1,"status":"blocked"}]}`,
    });
  });

  it("of a task that has gone is not written", () => {
    expect(writeTaskMaster(TAGGED, "99", "master", "done")).toEqual({
      kind: "impossible",
      why: "does not have the task 99 any more",
    });
    expect(writeTaskMaster(TAGGED, "15.9", "master", "done")).toMatchObject({ kind: "impossible" });
    expect(writeTaskMaster(TAGGED, "14", "gone", "done")).toMatchObject({ kind: "impossible" });
    expect(writeTaskMaster("{", "14", "master", "done")).toEqual({ kind: "impossible", why: "is not JSON any more" });
  });
});
