import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReportedWork } from "../ports/agent.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import { ReceivedUpdates } from "./acp/received-updates.ts";
import { readClaudeOutput } from "./claude/read-claude-output.ts";
import { readCodexOutput } from "./codex/read-codex-output.ts";
import { WorkRecorder } from "./work-recorder.ts";
import type { ProgramEnd } from "./process-group/start-program.ts";
import type { Listener } from "./run-client.ts";
import type { ClientSession } from "./session-token.ts";
import { WatchedLines } from "./watched-lines.ts";

const ENDED: ProgramEnd = { end: "exited", exitCode: 0, signal: null, milliseconds: 1, problem: null, unending: [] };
const lines = new WatchedLines(() => undefined);

function tell(listener: Listener, records: readonly JsonRecord[]): ReportedWork {
  for (const record of records) listener.hear(Buffer.from(`${JSON.stringify(record)}\n`), "stdout");
  const { work } = listener.report(ENDED);
  if (work === null) throw new Error("nothing is told of the work");
  return work;
}

describe("the work of Claude Code", () => {
  const claude = (records: readonly JsonRecord[], before: ClientSession | null = null): ReportedWork =>
    tell(readClaudeOutput(lines, before, "/shop"), records);
  /** One record for each part of a message, as the client sends them. */
  const message = (id: string, input: number, ...content: JsonRecord[]): JsonRecord[] =>
    content.map((part) => ({
      type: "assistant",
      message: {
        id,
        content: [part],
        usage: {
          input_tokens: input,
          cache_creation_input_tokens: 200,
          cache_read_input_tokens: 1000,
          output_tokens: 1,
        },
      },
      parent_tool_use_id: null,
    }));
  const call = (id: string, name: string, input: JsonRecord): JsonRecord => ({ type: "tool_use", id, name, input });
  const result = (id: string, isError = false): JsonRecord => ({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "...", is_error: isError }] },
  });
  const end: JsonRecord = {
    type: "result",
    is_error: false,
    result: "done",
    modelUsage: {
      large: { inputTokens: 30, outputTokens: 9, cacheReadInputTokens: 4000, cacheCreationInputTokens: 800 },
    },
  };

  it("is what it sent until its first change, and the files it read", () => {
    const work = claude([
      ...message(
        "m1",
        5,
        { type: "text", text: "I look first." },
        call("t1", "Read", { file_path: "/shop/src/cart.ts" }),
        call("t2", "Read", { file_path: "/shop/missing.ts" }),
        call("t3", "Bash", { command: "cat src/other.ts" }),
      ),
      result("t1"),
      result("t2", true),
      result("t3"),
      ...message("m2", 6, call("t4", "Edit", { file_path: "/shop/src/cart.ts" })),
      result("t4", true),
      ...message("m3", 7, call("t5", "Read", { file_path: "src/cart.ts" }), call("t6", "Write", { file_path: "b.ts" })),
      result("t5"),
      result("t6"),
      ...message("m4", 8, call("t7", "NotebookEdit", { notebook_path: "n.ipynb" })),
      result("t7"),
      end,
    ]);
    expect(work).toEqual({
      firstInput: 1205,
      input: 4830,
      inputBeforeChange: 1205 + 1206 + 1207,
      changes: 2,
      reads: ["src/cart.ts"],
      moreReads: 0,
      readsElsewhere: 0,
    });
  });

  it("is not known where the client does not tell it", () => {
    const write = call("t1", "Write", { file_path: "a.ts" });
    const bare = { type: "assistant", message: { content: [write] } };
    expect(claude([bare, result("t1"), end])).toMatchObject({ firstInput: null, inputBeforeChange: null, changes: 1 });
    // A subagent may use tokens that nobody tells of.
    const delegated = [...message("m1", 5, call("t0", "Agent", {})), ...message("m2", 5, write), result("t1"), end];
    expect(claude(delegated)).toMatchObject({ firstInput: 1205, inputBeforeChange: null, changes: 1 });
    // It has changed nothing, and was cut off.
    expect(claude([...message("m1", 5, write)])).toMatchObject({ input: null, inputBeforeChange: null, changes: 0 });
    // The sums of a session that goes on are of all its attempts.
    const before = { id: "s", tokens: 1, money: 0 };
    expect(claude([...message("m1", 5, write), result("t1"), end], before)).toMatchObject({
      firstInput: 1205,
      input: null,
      inputBeforeChange: 1205,
    });
  });
});

describe("the work of Codex", () => {
  const codex = (records: readonly JsonRecord[], before: ClientSession | null = null): ReportedWork =>
    tell(readCodexOutput(lines, before, "/shop"), records);
  const item = (fields: JsonRecord): JsonRecord => ({ type: "item.completed", item: { id: "item_0", ...fields } });
  const command = (text: string, code: number): JsonRecord =>
    item({ type: "command_execution", command: text, aggregated_output: "", exit_code: code, status: "completed" });
  const stream = [
    { type: "thread.started", thread_id: "1" },
    command("/bin/bash -lc 'cat src/cart.ts'", 0),
    command("/bin/bash -lc 'cat missing.ts'", 1),
    command("/bin/bash -lc 'npm test'", 0),
    item({ type: "file_change", changes: [{ path: "/shop/a.ts", kind: "add" }], status: "failed" }),
    item({ type: "file_change", changes: [{ path: "/shop/a.ts", kind: "add" }], status: "completed" }),
    { type: "turn.completed", usage: { input_tokens: 40_683, cached_input_tokens: 3, output_tokens: 209 } },
  ];

  it("is the files that plain commands print, its changes, and the input of the whole turn", () => {
    expect(codex(stream)).toEqual({
      firstInput: null,
      input: 40_683,
      inputBeforeChange: null,
      changes: 1,
      reads: ["src/cart.ts"],
      moreReads: 0,
      readsElsewhere: 0,
    });
    expect(codex(stream, { id: "1", tokens: 20_000, money: 0 }).input).toBeNull();
  });
});

describe("the work of a client that speaks ACP", () => {
  it("is what its tool calls name, when they are completed", () => {
    const work = new WorkRecorder("/shop");
    const heard = new ReceivedUpdates(lines, work);
    const update = (fields: JsonRecord): void => heard.hear(fields);
    const started = { sessionUpdate: "tool_call", title: "x", status: "pending" };
    const read = { ...started, kind: "read", locations: [{ path: "/shop/src/cart.ts", line: 3 }] };
    heard.isReplay = true;
    update({ ...read, toolCallId: "0", status: "completed", locations: [{ path: "/shop/long-ago.ts" }] });
    heard.isReplay = false;
    update({ ...read, toolCallId: "1" });
    update({ ...read, toolCallId: "2", locations: [] });
    update({ ...read, toolCallId: "3", locations: [{ path: "/shop/failed.ts" }] });
    update({ ...started, toolCallId: "4", kind: "edit", locations: [{ path: "/shop/src/cart.ts" }] });
    update({ ...started, toolCallId: "5", kind: "search", locations: [{ path: "/shop/src/found.ts" }] });
    expect(work.reported()).toMatchObject({ reads: [], changes: 0 });
    const ended = { sessionUpdate: "tool_call_update", status: "completed" };
    update({ ...ended, toolCallId: "1" });
    update({ ...ended, toolCallId: "2", locations: [{ path: "docs/later.md" }, { path: "/etc/passwd" }] });
    update({ ...ended, toolCallId: "3", status: "failed" });
    update({ ...ended, toolCallId: "4" });
    update({ ...ended, toolCallId: "5" });
    expect(work.reported()).toEqual({
      firstInput: null,
      input: null,
      inputBeforeChange: null,
      changes: 1,
      reads: ["src/cart.ts", "docs/later.md"],
      moreReads: 0,
      readsElsewhere: 1,
    });
  });
});

describe("whatever a client tells", () => {
  it("is kept within bounds, and only files of the workspace are named", () => {
    const work = new WorkRecorder("/shop");
    for (let count = 0; count < 5_000; count++) work.ask(String(count), { does: "read", paths: ["never-ended"] });
    for (let count = 0; count < 500; count++) work.did({ does: "read", paths: [`src/${count}.ts`] });
    const { reads, moreReads } = work.reported();
    expect([reads.length, moreReads]).toEqual([200, 300]);
    const hostile = [
      "/etc/passwd",
      "../shop-2/a.ts",
      "/shop/../etc/passwd",
      "/shopping/a.ts",
      ".git/config",
      "a\u001b[31m.ts",
      "a\n.ts",
      "a\0.ts",
      "-rf",
      "a".repeat(10_000),
      "/shop",
    ];
    const other = new WorkRecorder("/shop");
    other.did({ does: "read", paths: hostile });
    expect(other.reported()).toMatchObject({ reads: [], readsElsewhere: hostile.length });
  });

  it("leaves unknown what it does not say: no figure is made up, in any stream", () => {
    const name = fc.constantFrom("Read", "Write", "Edit", "Agent", "Bash", "constructor");
    const id = fc.constantFrom("1", "2", "3");
    const usage = fc.constantFrom<JsonRecord>({}, { input_tokens: "7" }, { input_tokens: -1 }, { output_tokens: 5 });
    const asked = fc.record({ name, id, usage }).map((made): JsonRecord => {
      const part = { type: "tool_use", id: made.id, name: made.name, input: { file_path: "a.ts" } };
      return { type: "assistant", message: { id: made.id, content: [part], usage: made.usage } };
    });
    const answered = id.map((tool_use_id): JsonRecord => ({
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id }] },
    }));
    const anything = fc.jsonValue().map((message): JsonRecord => ({ type: "assistant", message }));
    fc.assert(
      fc.property(fc.array(fc.oneof(asked, answered, anything), { maxLength: 20 }), (records) => {
        const work = tell(readClaudeOutput(lines, null, "/shop"), records);
        expect(work).toMatchObject({ firstInput: null, input: null, inputBeforeChange: null });
      }),
    );
  });
});
