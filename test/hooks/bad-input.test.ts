import { chmodSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openHookMachine } from "../../src/main/open-hook-machine.ts";
import { lastLines } from "../../src/runtime/hooks/find-message.ts";
import type { HookMachine, OpenState } from "../../src/runtime/hooks/hook-machine.ts";
import { runHook } from "../../src/runtime/hooks/run-hook.ts";
import { isLiving } from "../agents/living-processes.ts";
import { baton } from "../cli/run-baton.ts";
import { hookRooms, isValidAnswer, sessionsFile, stopOf, taskHandoff } from "./hook-room.ts";

const room = hookRooms();
const PLAIN = "  main: { format: task-yaml }\n  record: false\n  verify: false\n";

/** Sessions are of their own in each case. */
const shared = (async () => {
  const made = room({ "baton.yaml": sessionsFile(PLAIN) });
  await made.run("trust");
  return made;
})();

describe("input that cannot be used", () => {
  it.each([
    ["empty", ""],
    ["blank", " \n"],
    ["cut off", '{"session_id":"s","last_assistant_mess'],
    ["no object", "[1,2]"],
    ["no JSON", "hello"],
    ["of other types", '{"session_id":7,"cwd":{"a":1},"agent_type":[],"last_assistant_message":9,"turn_id":null}'],
    ["with a key of every object", '{"__proto__":{"cwd":"/"},"constructor":"x","toString":1}'],
    ["with another client's fields", '{"sessionId":"s","hookEventName":"agentStop","response":5}'],
    ["of a newer version", '{"session_id":"s","schema":99,"new_field":{"deep":[[[[]]]]}}'],
  ])("%s gets a valid answer, which is recorded", async (_what, input) => {
    const made = await shared;
    for (const [event, client] of [
      ["SubagentStop", "claude"],
      ["Stop", "codex"],
      ["AfterAgent", "gemini"],
    ] as const) {
      const { code, answer } = await made.hook(event, client, input);
      expect({ code, isValid: isValidAnswer(answer) }).toEqual({ code: 0, isValid: true });
      expect(made.heard(event)).toMatchObject({ client });
    }
  });

  it("an event, a client or an option that is not known is let pass", async () => {
    const made = room();
    for (const args of [
      ["hook"],
      ["hook", "Stop"],
      ["hook", "Stop", "--client", "other"],
      ["hook", "Stop", "--new", "1"],
    ]) {
      const { code, stdout } = await baton(args, { cwd: made.root, env: { HOME: made.home }, input: "{}" });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "{}\n" });
    }
    expect(await made.hook("BeforeModel", "gemini", {})).toMatchObject({ code: 0, answer: {} });
    expect(made.heard("BeforeModel")).toMatchObject({ result: "unusable" });
  });

  it("a file that is no section, or none at all, gates nothing", async () => {
    for (const text of [
      "sessions: 7\n",
      "baton: 1\nsessions: { agents: [1] }\n",
      "%\0",
      "a: [",
      "x\n".repeat(600_000),
    ]) {
      const made = room({ "baton.yaml": text });
      expect((await made.hook("SubagentStop", "claude", stopOf(made, "done"))).answer["decision"]).toBeUndefined();
    }
  });

  it("a state that cannot be written holds nobody up", async () => {
    const made = room({ "baton.yaml": sessionsFile(PLAIN) });
    await made.run("trust");
    made.write(".git/baton", "a file in the place of the folder");
    const { code, answer } = await made.hook("SubagentStop", "claude", stopOf(made, "done"));
    expect(code).toBe(0);
    expect(answer["decision"]).toBeUndefined();
    expect(answer["systemMessage"]).toContain("could not check");
  });
});

describe("a transcript through the hook", () => {
  const turn = (content: string): string =>
    [
      { type: "assistant.turn_start", data: {} },
      { type: "assistant.message", data: { content } },
      { type: "assistant.turn_end", data: {} },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");

  it("of 500 MB holds nobody up: its end is judged", async () => {
    const made = await shared;
    const path = join(made.home, "events-huge.jsonl");
    const file = openSync(path, "w");
    const size = 500 * 1_048_576;
    ftruncateSync(file, size);
    writeSync(file, `\n${turn("done")}`, size);
    const stop = { sessionId: "huge", cwd: made.root, transcriptPath: path };
    expect((await made.hook("Stop", "copilot", stop)).answer["decision"]).toBe("block");
    writeSync(file, turn(taskHandoff()), size + 1 + turn("done").length);
    expect((await made.hook("Stop", "copilot", stop)).answer).toEqual({});
    expect(made.heard("Stop")).toMatchObject({ client: "copilot", result: "accepted" });
  });

  it.each([
    ["is being written", '{"type":"assistant.turn_start","data":{}}\n{"type":"assistant.mess'],
    ["is of another client", '{"type":"assistant","message":{"content":[{"type":"text","text":"done"}]}}\n'],
    ["is missing", null],
  ])("that %s lets the agent pass, which is told as unread", async (what, text) => {
    const made = await shared;
    const path = join(made.home, `${what.replaceAll(" ", "-")}.jsonl`);
    if (text !== null) writeFileSync(path, text);
    const { code, answer } = await made.hook("Stop", "copilot", {
      sessionId: what,
      cwd: made.root,
      transcriptPath: path,
    });
    expect({ code, answer }).toEqual({ code: 0, answer: {} });
    expect(made.heard("Stop")).toMatchObject({ client: "copilot", result: "unread" });
  });
});

describe("a folder", () => {
  it("that is no repository, or one without Baton, gates and records nothing", async () => {
    const made = room();
    for (const [event, client] of [
      ["SessionStart", "claude"],
      ["Stop", "codex"],
      ["AfterAgent", "gemini"],
    ] as const)
      for (const cwd of [made.root, made.home, join(made.home, "none")]) {
        const { code, answer } = await made.hook(event, client, stopOf(made, "done", { cwd }));
        expect({ code, answer }).toEqual({ code: 0, answer: {} });
      }
    expect(JSON.parse((await made.run("status", "--json")).stdout)).toMatchObject({ runs: [] });
  });
});

describe("what takes too long", () => {
  it("lets the agent pass, and says so", async () => {
    const made = room({ "baton.yaml": sessionsFile() });
    await made.run("trust");
    const machine = openHookMachine(made.root, join(made.home, ".config/baton"));
    const place: HookMachine["place"] = (...told) => ({
      ...machine.place(...told),
      openState: () => new Promise<OpenState>(() => undefined),
    });
    const input = JSON.stringify(stopOf(made, "done"));
    const call = { client: "claude", event: "SubagentStop", input } as const;
    const answer = await runHook({ ...machine, place, maxTime: () => 50 }, call);
    expect(answer).toEqual({
      systemMessage: "Baton could not check this: it took longer than 0.05 seconds. It was let pass.",
    });
    expect(made.heard("SubagentStop")).toMatchObject({ result: "failed", says: "it took longer than 0.05 seconds" });
  });

  it("is not waited for when the answer is given: a git that hangs is ended", async () => {
    const made = room({ "baton.yaml": sessionsFile("  record: false\n") });
    await made.run("trust");
    const tools = join(made.home, "tools");
    mkdirSync(tools);
    writeFileSync(join(tools, "git"), `#!/bin/sh\necho $$ >> "${made.home}/pids"\nexec sleep 600\n`);
    chmodSync(join(tools, "git"), 0o755);
    const path = { PATH: `${tools}:${process.env["PATH"] ?? ""}` };
    expect((await made.hook("SubagentStop", "claude", stopOf(made, "done"), path)).answer["decision"]).toBe("block");
    const pids = readFileSync(join(made.home, "pids"), "utf8").trim().split("\n").map(Number);
    expect(pids.length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(pids.filter(isLiving)).toEqual([]));
  });
});

describe("two sessions at once in one repository", () => {
  it("are two runs, and neither of them answers for the other", async () => {
    const made = room({ "baton.yaml": sessionsFile() });
    await made.run("trust");
    const stops = ["s1", "s2", "s3", "s4"].map((session_id) => stopOf(made, taskHandoff(), { session_id }));
    await Promise.all(stops.map((stop) => made.hook("SubagentStart", "claude", stop)));
    await Promise.all([
      ...stops.slice(1).map((stop) => made.hook("SubagentStop", "claude", stop)),
      made.hook("SubagentStop", "claude", { ...stops[0], last_assistant_message: "done" }),
    ]);
    await Promise.all(stops.map(({ session_id }) => made.hook("SessionEnd", "claude", { session_id, cwd: made.root })));
    const { runs } = JSON.parse((await made.run("status", "--json")).stdout) as { runs: { status: string }[] };
    expect(runs.map(({ status }) => status).sort()).toEqual(["completed", "completed", "completed", "failed"]);
    expect(await made.run("audit", "verify")).toMatchObject({ code: 0 });
  });
});

describe("the end of a transcript", () => {
  it("of 500 MB is read at its end alone", () => {
    const path = join(room().root, "huge.jsonl");
    const file = openSync(path, "w");
    ftruncateSync(file, 500 * 1_048_576);
    writeSync(file, '\n{"type":"last"}\n', 500 * 1_048_576);
    let bytes = 0;
    expect(lastLines(path, (read) => (bytes += read))).toEqual([{ type: "last" }]);
    expect(bytes).toBeLessThan(3 * 1_048_576);
  });

  it("that is a folder, a pipe or not there is no transcript", () => {
    const { root } = room();
    expect(lastLines(root)).toBeNull();
    expect(lastLines(join(root, "none"))).toBeNull();
    writeFileSync(join(root, "binary"), Buffer.from([0, 255, 10, 0]));
    expect(lastLines(join(root, "binary"))).toEqual([]);
  });
});
