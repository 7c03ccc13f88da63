import { describe, expect, it } from "vitest";
import { readBeads, writeBeads } from "./beads.ts";

const AT = "2026-03-01T10:00:00.000Z";
const LINES = [
  `{"id":"bd-1","title":"Epic","description":"All of it","status":"open","priority":0,"issue_type":"epic","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-4","type":"blocks"}]}`,
  `{"id":"bd-1.1","title":"Child \\u003e first","description":"D","acceptance_criteria":"It works","status":"open","priority":1,"issue_type":"task","updated_at":"2026-01-01T00:00:00Z","dependencies":[{"issue_id":"bd-1.1","depends_on_id":"bd-1","type":"parent-child"},{"issue_id":"bd-1.1","depends_on_id":"bd-3","type":"related"},{"issue_id":"bd-1.1","depends_on_id":"bd-2","type":"blocks"},{"issue_id":"bd-1.1","depends_on_id":"bd-3","type":"discovered-from"}]}`,
  `{"id":"bd-2","title":"Bug","status":"in_progress","priority":4,"issue_type":"bug","updated_at":"2026-01-01T00:00:00Z"}`,
  `{"id":"bd-3","title":"Gone","status":"tombstone","priority":2,"deleted_at":"2026-01-01T00:00:00Z"}`,
  `{"id":"bd-4","title":"Old","status":"closed","priority":2,"closed_at":"2026-01-01T00:00:00Z","close_reason":"done","updated_at":"2026-01-01T00:00:00Z"}`,
];
const FILE = `${LINES.join("\n")}\n`;

function changed(index: number, text: string): { kind: "changed"; text: string } {
  return { kind: "changed", text: `${LINES.with(index, text).join("\n")}\n` };
}

describe("an issues.jsonl of beads", () => {
  it("is read with what blocks what, and with parents", () => {
    const tasks = readBeads(FILE, "issues.jsonl");
    expect(
      tasks.map(({ id, dependsOn, parent, standing, priority }) => [id, dependsOn, parent, standing, priority]),
    ).toEqual([
      ["bd-1", ["bd-4"], null, "open", "critical"],
      ["bd-1.1", ["bd-2"], "bd-1", "open", "high"],
      ["bd-2", [], null, "open", "low"],
      ["bd-3", [], null, "done", "medium"],
      ["bd-4", [], null, "done", "medium"],
    ]);
    expect(tasks[1]).toMatchObject({ name: "Child > first", brief: "D\n\nAcceptance criteria:\nIt works" });
  });

  it("is read without what stands beside the issues", () => {
    const text = `{"_schema":1}\n{"_type":"issue","id":"a","title":"A"}\r\n{"_type":"memory","key":"k","value":"v"}\n`;
    expect(readBeads(text, "i.jsonl").map(({ id }) => id)).toEqual(["a"]);
    expect(writeBeads(text, "a", "in-progress", AT)).toMatchObject({
      text: text.replace(`"A"}`, `"A","status":"in_progress","updated_at":"${AT}"}`),
    });
  });

  it.each([
    [{ status: "blocked" }, "held", "blocked"],
    [{ status: "deferred" }, "held", "deferred"],
    [{ status: "our-own" }, "held", "our-own"],
    [{ issue_type: "gate" }, "held", "gate"],
    [{ is_template: true }, "held", "a template"],
    [{ dependencies: [{ depends_on_id: "b", type: "conditional-blocks" }] }, "held", "only if b fails"],
    [{ status: undefined }, "open", "open"],
  ])("holds %o as %s", (issue, standing, word) => {
    expect(readBeads(JSON.stringify({ id: "a", ...issue }), "i.jsonl")).toMatchObject([{ standing, word }]);
  });

  it.each([
    [`{"id":"a"}\n{"id":`, "i.jsonl holds no issue with an id in line 2."],
    [`{"title":"a"}`, "i.jsonl holds no issue with an id in line 1."],
    [`{"id":"a"}\n\n<<<<<<< HEAD\n`, "i.jsonl has an unfinished merge in line 3."],
  ])("that is %s is refused", (text, message) => {
    expect(() => readBeads(text, "i.jsonl")).toThrow(message);
  });
});

describe("a status in an issues.jsonl", () => {
  it("is written on its own line, with the times that beads insists on", () => {
    const [, , bug = "", , old = ""] = LINES;
    expect(writeBeads(FILE, "bd-2", "done", AT)).toEqual(
      changed(
        2,
        bug
          .replace("in_progress", "closed")
          .replace(`"updated_at":"2026-01-01T00:00:00Z"}`, `"updated_at":"${AT}","closed_at":"${AT}"}`),
      ),
    );
    expect(writeBeads(FILE, "bd-2", "in-progress", AT)).toEqual({ kind: "same" });
    expect(writeBeads(FILE, "bd-4", "in-progress", AT)).toEqual(
      changed(
        4,
        old
          .replace("closed", "in_progress")
          .replace(`,"closed_at":"2026-01-01T00:00:00Z"`, "")
          .replace(`"updated_at":"2026-01-01T00:00:00Z"`, `"updated_at":"${AT}"`),
      ),
    );
  });

  it("comes in when there is none, whatever the line looks like", () => {
    const write = (line: string) => writeBeads(line, "a", "done", AT);
    expect(write(`{ "id": "a" }`)).toMatchObject({
      text: `{ "id": "a", "status": "closed", "updated_at": "${AT}", "closed_at": "${AT}" }`,
    });
    expect(write(`{"closed_at":"x","id":"a"}`)).toMatchObject({
      text: `{"closed_at":"${AT}","id":"a","status":"closed","updated_at":"${AT}"}`,
    });
  });

  it("of an issue that is deleted, gone or there twice is not written", () => {
    expect(writeBeads(FILE, "bd-3", "done", AT)).toEqual({ kind: "impossible", why: "has the issue bd-3 deleted" });
    expect(writeBeads(FILE, "bd-9", "done", AT)).toEqual({
      kind: "impossible",
      why: "does not have the task bd-9 any more",
    });
    expect(writeBeads(`${FILE}{"id":"bd-2"}\n`, "bd-2", "done", AT)).toMatchObject({ kind: "impossible" });
  });
});
