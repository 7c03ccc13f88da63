import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot, readSourceFiles } from "./source-files.ts";

/** Where stored data become values of the program. */
const CODEC = /^src\/workflow\/stored\//;

/** Casts over `unknown`, and what they are about: none of it was stored by another version. */
const CASTS: Readonly<Record<string, string>> = {
  "src/http/app.ts": "a handler and what its own route asks of a request",
  "src/audit/checkpoint.ts": "a value of ours that is written",
  "src/audit/register.ts": "an entry that is written",
  "src/audit/export-lines.ts": "a value of ours that is written",
  "src/audit/verify-export.ts": "a digest of whatever is there, which is compared with another",
  "src/protocol/dialects/issue-xml/lift.ts": "a document that has passed its shape",
  "src/protocol/dialects/output-json/lift.ts": "a document that has passed its shape",
  "src/protocol/dialects/phase-yaml/lift.ts": "a document that has passed its shape",
  "src/protocol/dialects/pipeline-json/lift.ts": "a document that has passed its shape",
  "src/protocol/dialects/task-yaml/lift.ts": "a document that has passed its shape",
};

/** `JSON.parse(...) as T`, and what is parsed. */
const PARSED: Readonly<Record<string, string>> = {
  "src/stores/sqlite/store-writes.ts": "a message to a thread of this process",
  "src/runtime/operations/replay-run.ts": "events that were decided just now",
  "src/audit/export-lines.ts": "data that are exported as they are",
  "src/main/builtin-agent.ts": "what this program wrote to a process that it started",
  "src/main/open-demo.ts": "the package file of an example of ours",
};

/** Who asks the log for data as they are stored, and why that is not a value of the program. */
const RAW_READERS: Readonly<Record<string, string>> = {
  "src/runtime/read-log.ts": "the door: everything is decoded here",
  "src/runtime/operations/verify-audit.ts": "an edited entry is a finding, not an error",
  "src/runtime/operations/list-notifications.ts": "decoded entry by entry",
  "src/runtime/operations/rebuild-knowledge.ts": "decoded, where the workflow is there",
  "src/runtime/operations/trust-workflow.ts": "decoded, once the stored bytes are the pinned ones",
  "src/runtime/operations/show-run.ts": "shown as they are, with words where they can be decoded",
};

const files = readSourceFiles()
  .filter(({ path }) => !path.endsWith(".test.ts") && !CODEC.test(path))
  .map(({ path }) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }));

function filesWith(pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) => (pattern.test(text) ? [path] : []));
}

const CAST = /\bas unknown as\b/;
const PARSED_CAST = /\bJSON\.parse\([^;]*\) as (?!JsonValue|string)/;
const RAW_READ = /\blog\.(?:entries|history|workflow|messages|outbox)\(/;

describe("stored data", () => {
  it("are believed to have a type by the codec alone", () => {
    expect(filesWith(CAST).filter((path) => !Object.hasOwn(CASTS, path))).toEqual([]);
    expect(filesWith(PARSED_CAST).filter((path) => !Object.hasOwn(PARSED, path))).toEqual([]);
  });

  it("are read from the log where they are decoded", () => {
    expect(filesWith(RAW_READ).filter((path) => !Object.hasOwn(RAW_READERS, path))).toEqual([]);
  });

  it("have no exception that is not needed any more", () => {
    const all = [
      [CAST, CASTS],
      [PARSED_CAST, PARSED],
      [RAW_READ, RAW_READERS],
    ] as const;
    for (const [pattern, exceptions] of all)
      expect(Object.keys(exceptions).filter((path) => !filesWith(pattern).includes(path))).toEqual([]);
  });
});

it.each([
  [CAST, "const event = data as unknown as Event;"],
  [PARSED_CAST, "return JSON.parse(text) as Workflow;"],
  [RAW_READ, "const entries = await ports.log.entries(run);"],
])("%s finds what it is for", (pattern, text) => {
  expect(text).toMatch(pattern);
});
