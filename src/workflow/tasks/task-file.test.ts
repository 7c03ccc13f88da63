import { describe, expect, it } from "vitest";
import { readTaskFile, writeTaskFile } from "./task-file.ts";

const FILE = `# Task task-002: Issue tokens

## Metadata

| Field | Value |
|-------|-------|
| Priority | high |
| Status | pending |
| Category | feature |
| Depends On | task-001, \`task-000\` |

**Description**: Status of a token is not the status of a task.

## Execution Log

| Status | whatever |

## Handoff
`;

describe("a task file", () => {
  it("is read with what its metadata says, without what agents have added", () => {
    expect(readTaskFile(FILE, "task-002.md")).toMatchObject({
      id: "task-002",
      sourceId: "task-002",
      name: "Issue tokens",
      priority: "high",
      dependsOn: ["task-001", "task-000"],
      standing: "open",
      word: "pending",
      brief: expect.not.stringContaining("Execution Log") as string,
    });
  });

  it.each([
    ["pending", "open"],
    ["in_progress", "open"],
    ["failed", "open"],
    ["completed", "done"],
    ["skipped", "done"],
    ["blocked", "held"],
  ])("with the status %s is %s", (word, standing) => {
    expect(readTaskFile(FILE.replace("pending", word), "x.md")).toMatchObject({ standing });
  });

  it("has bold lines as well as rows, and a name of the file when there is no title", () => {
    const text = "**Priority:** low\r\n**Status:** completed\r\n- **Depends On:** task-1\r\n";
    expect(readTaskFile(text, "task-7.md")).toMatchObject({
      id: "task-7",
      priority: "low",
      standing: "done",
      dependsOn: ["task-1"],
    });
    expect(readTaskFile("# About these tasks\n", "README.md")).toBeNull();
  });

  it("has its first row or line of a name, and a row before a line", () => {
    const lines = "# Task 1: A\n\n**Status:** completed\n**Status:** pending\n";
    expect(readTaskFile(lines, "a.md")).toMatchObject({ word: "completed" });
    expect(readTaskFile(`${lines}| Status | failed |\n| Status | blocked |\n`, "a.md")).toMatchObject({
      word: "failed",
    });
  });

  it("gets a new status and no other byte", () => {
    for (const [progress, word] of [
      ["in-progress", "in_progress"],
      ["done", "completed"],
      ["failed", "failed"],
      ["blocked", "blocked"],
    ] as const) {
      const written = writeTaskFile(FILE, "task-002", "task-002.md", progress);
      expect(written).toEqual({ kind: "changed", text: FILE.replace("| pending |", `| ${word} |`) });
    }
    expect(writeTaskFile(FILE, "task-002", "task-002.md", "pending")).toEqual({ kind: "same" });
  });

  it("keeps its line ends, its bold lines and the width of an empty cell", () => {
    const bold = "# Task 1: A\r\n\r\n**Status:** pending\r\n";
    expect(writeTaskFile(bold, "1", "a.md", "done")).toMatchObject({ text: bold.replace("pending", "completed") });
    const empty = "# Task 1: A\n\n| Status | |\n";
    expect(writeTaskFile(empty, "1", "a.md", "done")).toMatchObject({
      text: "# Task 1: A\n\n| Status | completed |\n",
    });
  });

  it("may begin with a byte order mark, and keeps it", () => {
    const marked = "\ufeff# Task 1: A\n\n| Status | pending |\n";
    expect(readTaskFile(marked, "a.md")).toMatchObject({ id: "1", name: "A", word: "pending" });
    expect(writeTaskFile(marked, "1", "a.md", "done")).toMatchObject({ text: marked.replace("pending", "completed") });
  });

  it.each(["`pending`", "**pending**", "_pending_"])("keeps the marks around its status: %s", (cell) => {
    const file = `# Task 1: A\n\n| Status | ${cell} |\n`;
    const done = file.replace("pending", "completed");
    expect(writeTaskFile(file, "1", "a.md", "done")).toEqual({ kind: "changed", text: done });
    expect(writeTaskFile(done, "1", "a.md", "done")).toEqual({ kind: "same" });
    expect(readTaskFile(done, "a.md")).toMatchObject({ standing: "done" });
  });

  it("that is another task by now, or has no status, is left alone", () => {
    expect(writeTaskFile(FILE, "task-003", "task-002.md", "done")).toMatchObject({ kind: "impossible" });
    expect(writeTaskFile("# Task 1: A\n", "1", "a.md", "done")).toEqual({
      kind: "impossible",
      why: "has no Status row in its metadata",
    });
  });
});
