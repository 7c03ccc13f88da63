import { ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastLines } from "../../src/runtime/hooks/find-message.ts";
import { baton } from "../cli/run-baton.ts";
import { hookRooms, isValidAnswer, sessionsFile, stopOf } from "./hook-room.ts";

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

describe("a transcript", () => {
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
