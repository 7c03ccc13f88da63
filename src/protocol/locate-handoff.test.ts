import { describe, expect, it } from "vitest";
import { type JsonPath, shown } from "../shared/json-value.ts";
import type { Dialect } from "./dialect.ts";
import { DIALECTS } from "./dialects/registry.ts";
import type { DialectName } from "./handoff.ts";
import { locateHandoff, originsOf } from "./locate-handoff.ts";
import { readHandoffs } from "./read-handoff.ts";
import { writeHandoff } from "./write-handoff.ts";

/** `line:text` of the place of a path, in the last handoff of the text. */
function placeOf(text: string, path: JsonPath, dialect?: DialectName): string {
  const options = dialect === undefined ? {} : { dialect };
  const read = readHandoffs(text, options).handoffs.at(-1);
  if (!read?.handoff) throw new Error("nothing was read");
  const { start, end } = locateHandoff(text, read, options)(path);
  return `${text.slice(0, start).split("\n").length}:${text.slice(start, end)}`;
}

describe("the place of a value", () => {
  const pipeline = JSON.stringify({ ...DIALECTS["pipeline-json"].example, to_agent: "COMPLETE" }, null, 1);

  it("is that of the record around it where it was derived or is not there", () => {
    expect(placeOf(pipeline, ["outcome"])).toBe("1:{");
    expect(placeOf(pipeline, ["final"])).toBe("1:{");
    expect(placeOf(pipeline, ["to"])).toBe("1:{");
    expect(placeOf(pipeline, ["work", "artifacts", 0, "nothing"])).toBe("11:{");
    expect(placeOf(pipeline, ["work", "artifacts", 7])).toBe('10:"artifacts"');
    expect(placeOf(pipeline, ["nothing", "here"])).toBe("1:{");
  });

  it("is that of the record around it where a word decides which value is taken", () => {
    const choosing: Dialect = {
      ...DIALECTS["output-json"],
      lift: ({ kind, left, right }) => ({
        dialect: "output-json",
        outcome: "done",
        summary: shown(kind === "left" ? left : right),
      }),
    };
    const document = { kind: "left", left: "a", right: "b" };
    expect(originsOf(document, choosing)(["summary"])).toEqual([]);
    expect(originsOf({ ...document, kind: "right" }, choosing)(["summary"])).toEqual(["right"]);
  });

  it("is that of the list where a list was made anew, whatever its length", () => {
    const origins = (files: string[]): JsonPath =>
      originsOf(
        { ...DIALECTS["output-json"].example, files_modified: files },
        DIALECTS["output-json"],
      )(["work", "modified"]);
    expect(origins(["a.ts"])).toEqual(["files_modified"]);
    expect(origins(["a.ts", "b.ts"])).toEqual(["files_modified"]);
  });

  it("counts items that were left out because their type is wrong", () => {
    const verified = [7, "src/a.ts:1-2", { a: 1 }, "src/a.ts:1-2"];
    const text = JSON.stringify({ ...DIALECTS["output-json"].example, source_files_verified: verified }, null, 1);
    const line = text.split("\n").findIndex((each) => each.includes("source_files_verified")) + 1;
    expect(placeOf(text, ["work", "verified", 0])).toBe(`${line + 2}:"src/a.ts:1-2"`);
    expect(placeOf(text, ["work", "verified", 1])).toBe(`${line + 6}:"src/a.ts:1-2"`);
  });

  it("is within <data> where the envelope is written there", () => {
    const { data, status, summary, ...envelope } = DIALECTS["issue-xml"].example;
    const document = { ...envelope, data: { ...(data as object), status, summary } };
    const text = DIALECTS["issue-xml"].print(document);
    expect(placeOf(text, ["summary"])).toMatch(/:One critical and one important issue/);
    expect(placeOf(text, ["status"])).toMatch(/:success$/);
  });

  it("is in the carried parts, or in the field that these refer to", () => {
    const handoff = readHandoffs(pipeline).handoffs[0]?.handoff;
    if (!handoff) throw new Error("nothing was read");
    const yaml = writeHandoff(handoff, "task-yaml").text;
    expect(placeOf(yaml, ["context", "decisions", 0])).toMatch(/:Amounts are integers/);
    expect(placeOf(yaml, ["context", "decisions"])).toMatch(/:context\.decisions$/);
    const xml = writeHandoff(handoff, "issue-xml", { now: "2026-03-09T14:05:00Z", issue: "7" }).text;
    expect(placeOf(xml, ["context", "decisions", 0])).toMatch(/:Amounts are integers/);
    expect(placeOf(xml, ["work", "artifacts", 0, "type"])).toMatch(/:\{"source":.*source_file/);
  });

  it("is a line of a summary without YAML", () => {
    const text = "# Testing COMPLETE\n\n- Tests passed: 3/3\n- **Tests passed:** 25/25  \n\nNext Agent: @lead\n";
    expect(placeOf(text, ["metrics", "tests_passed"])).toBe("4:25/25");
    expect(placeOf(text, ["summary"])).toBe("1:");
  });

  it("is found for 20,000 values in a text of one line", () => {
    const files = Array.from({ length: 20_000 }, (_, at) => `src/${at}.ts`);
    const text = JSON.stringify({ ...DIALECTS["output-json"].example, files_modified: files });
    const [read] = readHandoffs(text).handoffs;
    if (!read) throw new Error("nothing was read");
    const locate = locateHandoff(text, read);
    for (const [at, file] of files.entries()) {
      const { start, end } = locate(["work", "modified", at, "path"]);
      expect(text.slice(start + 1, end - 1)).toBe(file);
    }
  });
});
