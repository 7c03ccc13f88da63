import { describe, expect, it } from "vitest";
import type { FoundTaskFile, FoundTask } from "./found-task.ts";
import { planTasks } from "./plan-tasks.ts";

function task(id: string, more: Partial<FoundTask> = {}): FoundTask {
  const common = { name: id, priority: "medium", dependsOn: [], brief: "", standing: "open", word: "open" } as const;
  return { id, sourceId: id, parent: null, ...common, ...more };
}

function file(path: string, ...tasks: FoundTask[]): FoundTaskFile {
  return { format: "beads", path, tag: null, tasks };
}

function plan(...tasks: FoundTask[]): { needs: Record<string, readonly string[]>; leftOut: string[] } {
  const { tasks: planned, leftOut } = planTasks([file("f", ...tasks)], new Set());
  return {
    needs: Object.fromEntries(planned.map(({ id, dependsOn }) => [id, dependsOn])),
    leftOut: leftOut.map(({ id, why }) => `${id}: ${why}`),
  };
}

describe("tasks of a run", () => {
  it("do not wait for what is done", () => {
    expect(plan(task("a", { standing: "done" }), task("b", { dependsOn: ["a"] }))).toEqual({
      needs: { b: [] },
      leftOut: [],
    });
  });

  it("know where they came from", () => {
    const { tasks } = planTasks([{ ...file("x/tasks.json", task("a", { sourceId: "7" })), tag: "t" }], new Set());
    expect(tasks).toMatchObject([{ source: { format: "beads", path: "x/tasks.json", id: "7", tag: "t" } }]);
  });

  it("leave out what is held, and whoever waits for it", () => {
    const held = task("a", { standing: "held", word: "deferred" });
    const tasks = [held, task("b", { dependsOn: ["a"] }), task("c", { dependsOn: ["b"] }), task("d")];
    expect(plan(...tasks)).toEqual({
      needs: { d: [] },
      leftOut: ["a: deferred", "b: waits for a", "c: waits for b"],
    });
  });

  it("are the parts of a task that has parts: they wait for what it waits for, and others wait for them", () => {
    const tasks = [
      task("first"),
      task("whole", { dependsOn: ["first"] }),
      task("whole.1", { parent: "whole" }),
      task("whole.2", { parent: "whole", dependsOn: ["whole.1"] }),
      task("whole.3", { parent: "whole", standing: "done" }),
      task("after", { dependsOn: ["whole"] }),
    ];
    expect(plan(...tasks)).toEqual({
      needs: {
        first: [],
        "whole.1": ["first"],
        "whole.2": ["first", "whole.1"],
        after: ["whole.1", "whole.2"],
      },
      leftOut: [],
    });
  });

  it("do not wait for themselves when the whole names them as what it waits for", () => {
    const tasks = [task("whole", { dependsOn: ["part", "first"] }), task("part", { parent: "whole" }), task("first")];
    expect(plan(...tasks).needs).toEqual({ part: ["first"], first: [] });
  });

  it("stand where the task stands that they are parts of", () => {
    const parts = (standing: "done" | "held") => [
      task("whole", { standing, word: "deferred" }),
      task("part", { parent: "whole" }),
      task("after", { dependsOn: ["part"] }),
    ];
    expect(plan(...parts("done"))).toEqual({ needs: { after: [] }, leftOut: [] });
    expect(plan(...parts("held"))).toEqual({
      needs: {},
      leftOut: ["part: whole is deferred", "after: waits for part"],
    });
  });

  it("may be named with or without `task-`, and stand in several files or in the workflow", () => {
    const files = [
      file("a", task("task-1")),
      file("b", task("2", { dependsOn: ["1", "task-3", "other"] })),
      file("c", task("3")),
    ];
    expect(planTasks(files, new Set(["other"])).tasks[1]?.dependsOn).toEqual(["3", "other", "task-1"]);
  });

  it("that are there twice are refused, by both places", () => {
    const twice = () => planTasks([file("a.md", task("T1")), file("b.md", task("T1"))], new Set());
    expect(twice).toThrow("The task T1 stands in a.md and in b.md.");
    const merged = () => plan(task("a-b", { sourceId: "a b" }), task("a-b", { sourceId: "a/b" }));
    expect(merged).toThrow("The task a-b stands twice in f: a b and a/b become one in a run.");
  });

  it("that depend on nothing that is there are refused, unless they are done", () => {
    expect(() => plan(task("a", { dependsOn: ["x"] }))).toThrow("f: a depends on x, which is in none of the files.");
    expect(plan(task("a", { dependsOn: ["x"], standing: "done" }), task("b")).needs).toEqual({ b: [] });
  });

  it.each<[string, FoundTask[], string]>([
    ["wait for each other", [task("a", { dependsOn: ["b"] }), task("b", { dependsOn: ["a"] })], "a needs b needs a"],
    ["wait for themselves", [task("a", { dependsOn: ["a"] })], "a needs a"],
    [
      "wait for what they are a part of",
      [task("w"), task("p", { parent: "w", dependsOn: ["w"] })],
      "w needs p needs w",
    ],
    [
      "wait for each other through their parts",
      [task("w", { dependsOn: ["v"] }), task("p", { parent: "w" }), task("v", { dependsOn: ["p"] })],
      "w needs v needs p needs w",
    ],
  ])("that %s are refused", (_what, tasks, chain) => {
    expect(() => plan(...tasks)).toThrow(chain);
  });

  it("that are parts of each other are refused", () => {
    const tasks = [task("a", { parent: "b" }), task("b", { parent: "a" })];
    expect(() => plan(...tasks)).toThrow("f: these tasks are parts of each other: a is part of b is part of a.");
  });

  it("do not wait for each other when one of them is done", () => {
    const tasks = [task("a", { dependsOn: ["b"], standing: "done" }), task("b", { dependsOn: ["a"] })];
    expect(plan(...tasks).needs).toEqual({ b: [] });
  });
});
