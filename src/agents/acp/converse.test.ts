import { expect, it } from "vitest";
import { isRecord } from "../../shared/json-value.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { WorkRecorder } from "../work-recorder.ts";
import { LOST_SESSION } from "../session-token.ts";
import { WatchedLines, jsonRecord, jsonText } from "../watched-lines.ts";
import { converse } from "./converse.ts";
import type { Conversation } from "./converse.ts";
import { ReceivedUpdates } from "./received-updates.ts";
import { JsonRpcPeer } from "./json-rpc-peer.ts";

interface Client {
  readonly capabilities: JsonRecord;
  /** How a session is gone on with; null when it is lost. */
  readonly load: ((say: (text: string) => void) => void) | null;
  readonly answer?: JsonRecord;
}

/** Goes on with the session "old" of a client that answers with "new answer". */
async function goOnWith(client: Client) {
  const asked: string[] = [];
  const lines: string[] = [];
  const watched = new WatchedLines((update) => update.kind === "line" && lines.push(update.text));
  const heard = new ReceivedUpdates(watched, new WorkRecorder("/"));
  const say = (text: string): void => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    peer.hear({ method: "session/update", params: { update } });
  };
  const results: Record<string, () => JsonRecord | null> = {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: client.capabilities }),
    "session/new": () => ({ sessionId: "new" }),
    "session/load": () => {
      client.load?.(say);
      return client.load === null ? null : {};
    },
    "session/prompt": () => {
      say("new answer");
      return { stopReason: "end_turn", ...client.answer };
    },
  };
  const peer = new JsonRpcPeer(
    (line) => {
      const message: unknown = JSON.parse(line);
      if (!isRecord(message)) return;
      const method = jsonText(message["method"]) ?? "";
      asked.push(method);
      const result = results[method]?.() ?? null;
      const id = message["id"] ?? null;
      queueMicrotask(() => peer.hear(result === null ? { id, error: { message: "no such session" } } : { id, result }));
    },
    () => null,
    (_method, parameters) => heard.hear(jsonRecord(parameters["update"])),
  );
  const conversation: Conversation = { session: null, tokens: null, input: null, isOver: false };
  const topic = { prompt: "go", workspace: "/", session: "old", mode: null, authMethod: null, mcpServers: [] };
  await converse(peer, topic, heard, conversation);
  watched.end();
  return { ...conversation, lastMessage: heard.lastMessage(), asked, lines };
}

const CAN_LOAD = { loadSession: true };

it("goes on with a session, and takes nothing of its history for the answer", async () => {
  const early = await goOnWith({ capabilities: CAN_LOAD, load: (say) => say("old answer") });
  expect(early).toMatchObject({ session: "old", lastMessage: "new answer" });
  // As Gemini does, after it has answered that the session is loaded.
  const late = await goOnWith({ capabilities: CAN_LOAD, load: (say) => setTimeout(() => say("old answer"), 100) });
  expect(late).toMatchObject({ session: "old", lastMessage: "new answer" });
});

it("begins a new session when the old one is lost", async () => {
  const { asked, ...end } = await goOnWith({ capabilities: CAN_LOAD, load: null });
  expect(end).toMatchObject({ session: "new", lastMessage: "new answer" });
  expect(end.lines).toContain(LOST_SESSION);
  expect(asked).toEqual(["initialize", "session/load", "session/new", "session/prompt"]);
});

it("begins a new session when the client cannot go on with one", async () => {
  const { session, asked } = await goOnWith({ capabilities: {}, load: null });
  expect([session, asked]).toEqual(["new", ["initialize", "session/new", "session/prompt"]]);
});

it("counts tokens where the protocol has them, and where Gemini has them", async () => {
  const load = (): void => undefined;
  const gemini = { _meta: { quota: { token_count: { input_tokens: 5, output_tokens: 2 } } } };
  const counts = [{ usage: { totalTokens: 9 } }, gemini, {}].map(async (answer) => {
    const { tokens } = await goOnWith({ capabilities: CAN_LOAD, load, answer });
    return tokens;
  });
  expect(await Promise.all(counts)).toEqual([9, 7, null]);
});
