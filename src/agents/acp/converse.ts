import { setTimeout as sleep } from "node:timers/promises";
import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import { amountOf, jsonRecord, jsonText } from "../watched-lines.ts";
import { LOST_SESSION } from "../session-token.ts";
import type { ReceivedUpdates } from "./received-updates.ts";
import type { JsonRpcPeer } from "./json-rpc-peer.ts";

export interface TurnRequest {
  readonly prompt: string;
  readonly workspace: string;
  /** The id of the session to go on with. */
  readonly session: string | null;
  readonly mode: string | null;
  readonly authMethod: string | null;
  readonly mcpServers: JsonValue[];
}

/** What came of it, as far as it came. */
export interface Conversation {
  session: string | null;
  tokens: number | null;
  /** Those of them that were sent to the model. */
  input: number | null;
  isOver: boolean;
}

const PROTOCOL_VERSION = 1;

/** One prompt, from the greeting to the answer. Rejects with what the client says went wrong. */
export async function converse(
  peer: JsonRpcPeer,
  topic: TurnRequest,
  heard: ReceivedUpdates,
  conversation: Conversation,
): Promise<void> {
  const greeting = await peer.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "baton", title: "Baton", version: "1" },
    // Files are read without us: Gemini takes no refusal of ours for "there is none", and could never make a file.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: true }, terminal: false },
  });
  if (greeting["protocolVersion"] !== PROTOCOL_VERSION) throw new Error("the client speaks another version of ACP");
  if (topic.authMethod !== null) await peer.request("authenticate", { methodId: topic.authMethod });
  conversation.session = await openSession(peer, topic, jsonRecord(greeting["agentCapabilities"]), heard);
  const sessionId = conversation.session;
  if (topic.mode !== null) await peer.request("session/set_mode", { sessionId, modeId: topic.mode });
  const answer = await peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text: topic.prompt }] });
  conversation.tokens = countTokens(answer);
  conversation.input =
    amountOf(jsonRecord(answer["usage"])["inputTokens"]) ?? amountOf(quotaOf(answer)["input_tokens"]);
  const reason = jsonText(answer["stopReason"]);
  if (reason !== "end_turn") throw new Error(`the client stopped: ${reason ?? "for no reason"}`);
}

/** Where the protocol has them, or where Gemini tells them. */
function countTokens(answer: JsonRecord): number | null {
  const total = amountOf(jsonRecord(answer["usage"])["totalTokens"]);
  if (total !== null) return total;
  const counted = quotaOf(answer);
  const input = amountOf(counted["input_tokens"]);
  const output = amountOf(counted["output_tokens"]);
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
}

function quotaOf(answer: JsonRecord): JsonRecord {
  return jsonRecord(jsonRecord(jsonRecord(answer["_meta"])["quota"])["token_count"]);
}

async function openSession(
  peer: JsonRpcPeer,
  topic: TurnRequest,
  capabilities: JsonRecord,
  heard: ReceivedUpdates,
): Promise<string> {
  const place = { cwd: topic.workspace, mcpServers: topic.mcpServers };
  if (topic.session !== null) {
    if (await goOn(peer, { ...place, sessionId: topic.session }, capabilities, heard)) return topic.session;
    heard.tell(LOST_SESSION);
  }
  const made = jsonText((await peer.request("session/new", place))["sessionId"]);
  if (made === null) throw new Error("the client opened a session without a name");
  return made;
}

/** False when the client cannot, or has lost the session: a prompt stands by itself, also in a new one. */
async function goOn(
  peer: JsonRpcPeer,
  session: JsonRecord,
  capabilities: JsonRecord,
  heard: ReceivedUpdates,
): Promise<boolean> {
  const canResume = jsonRecord(capabilities["sessionCapabilities"])["resume"] ?? null;
  // Asked to do without when it can: loading tells the whole history over again.
  if (canResume === null && capabilities["loadSession"] !== true) return false;
  heard.isReplay = true;
  try {
    await peer.request(canResume === null ? "session/load" : "session/resume", session);
    if (canResume === null) await untilQuiet(heard);
    return true;
  } catch {
    return false;
  } finally {
    heard.isReplay = false;
  }
}

const QUIET = 500;
const MAX_WAITS = 60;

/** Gemini answers that a session is loaded and goes on to tell its history, which is not the answer to come. */
async function untilQuiet(heard: ReceivedUpdates): Promise<void> {
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const before = heard.count;
    await sleep(QUIET);
    if (heard.count === before) return;
  }
}
