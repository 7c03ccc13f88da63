import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { HookCall } from "./hook-call.ts";
import { readEnd } from "./read-end.ts";

/** The last message of an agent, or why it is not known. One that answers by a schema can say nothing else. */
export type FoundMessage =
  | { readonly text: string; readonly bySchema?: true }
  /** The client had not written it, or not where it says. The agent passes. */
  | { readonly unread: string };

/** How long a client may lag behind its own hook. */
const MAX_WAIT = 1_000;
const LOOK_AGAIN = 20;

/**
 * The last message, from the call or from the end of a transcript. Of a transcript only the end is read, however large
 * it is.
 */
export async function findMessage(call: HookCall): Promise<FoundMessage> {
  const { client, message, transcript, agentTranscript, moment } = call;
  if (message !== null && message.trim() !== "") return { text: message };
  if (client === "claude") return structuredOutput(message, agentTranscript ?? (moment === "stop" ? transcript : null));
  if (client === "copilot" && moment === "stop" && message === null) return finishedTurn(transcript, call.calledAt);
  return message === null ? { unread: "the client gave no last message" } : { text: message };
}

/**
 * An agent of Claude Code that must answer by a schema has no last message, and hands over by a tool. The transcript may
 * not hold its call yet.
 */
async function structuredOutput(message: string | null, transcript: string | null): Promise<FoundMessage> {
  if (transcript === null) return { unread: "the last message is empty, and there is no transcript to read" };
  const output = await lookAgain(() => takenOutput(lastLines(transcript) ?? []));
  if (output !== null) return { text: JSON.stringify(output["input"] ?? {}, null, 2), bySchema: true };
  if (message !== null && lastLines(transcript) !== null) return { text: message };
  return { unread: "the client gave no last message, and no structured answer in its transcript in time" };
}

/** The last call of the tool that Claude has not refused. */
function takenOutput(lines: readonly JsonRecord[]): JsonRecord | null {
  const parts = lines.flatMap(partsOf);
  const isTaken = ({ id }: JsonRecord): boolean =>
    parts.some((part) => part["type"] === "tool_result" && part["tool_use_id"] === id && part["is_error"] !== true);
  return parts.findLast((part) => part["name"] === "StructuredOutput" && isTaken(part)) ?? null;
}

/** Until there is something to see, or the client has lagged behind for too long. */
async function lookAgain<T>(look: () => T | null): Promise<T | null> {
  for (const until = Date.now() + MAX_WAIT; ;) {
    const seen = look();
    if (seen !== null || Date.now() >= until) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
  }
}

function partsOf(line: JsonRecord): JsonRecord[] {
  const { message } = line;
  const content = isRecord(message) ? message["content"] : null;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/**
 * Copilot writes its transcript behind its own hooks, this call among them: what stands before the call is whole. Until
 * the call stands there, the last message may be that of an earlier turn, which was judged before.
 */
async function finishedTurn(transcript: string | null, calledAt: number | null): Promise<FoundMessage> {
  if (transcript === null) return { unread: "the client named no transcript" };
  const said = await lookAgain(() => {
    const before = linesBefore(lastLines(transcript) ?? [], calledAt);
    const turn = before.findLast(({ type }) => type === "assistant.turn_end" || type === "assistant.turn_start");
    return turn?.["type"] === "assistant.turn_end" ? (before.findLast(isOwnMessage) ?? null) : null;
  });
  return said === null
    ? { unread: "the transcript could not be read, or did not hold the end of the turn in time" }
    : { text: contentOf(said) };
}

/** The lines before this call; none while it is not there. All of them where the client tells no time or notes no calls. */
function linesBefore(lines: readonly JsonRecord[], calledAt: number | null): readonly JsonRecord[] {
  const isCall = (line: JsonRecord): boolean =>
    line["type"] === "hook.start" && dataOf(line)["hookType"] === "agentStop";
  if (calledAt === null || !lines.some(({ type }) => type === "hook.start")) return lines;
  const at = lines.findLastIndex((line) => isCall(line) && timeOf(dataOf(line)["input"]) === calledAt);
  return lines.slice(0, Math.max(at, 0));
}

function timeOf(input: unknown): number | null {
  return isRecord(input) && typeof input["timestamp"] === "number" ? input["timestamp"] : null;
}

function dataOf(line: JsonRecord): JsonRecord {
  return isRecord(line["data"]) ? line["data"] : line;
}

/** Messages of subagents stand in the same transcript. */
function isOwnMessage(line: JsonRecord): boolean {
  const data = dataOf(line);
  const isOfSubagent = [line, data].some((one) => NAMES_PARENT.some((name) => typeof one[name] === "string"));
  return line["type"] === "assistant.message" && !isOfSubagent && contentOf(line).trim() !== "";
}

const NAMES_PARENT = ["parentToolCallId", "agentId", "agent_id"];

function contentOf(line: JsonRecord): string {
  const { content } = dataOf(line);
  return typeof content === "string" ? content : "";
}

/** The records of the last lines of a file, the last one last; null when it cannot be read. A line that is cut off is left out. */
export function lastLines(path: string, read?: (bytes: number) => void): JsonRecord[] | null {
  const end = readEnd(path, 0, read);
  return end === null ? null : [...end.lines, end.rest].flatMap(recordIn);
}

/** None for a line that is no JSON object. */
export function recordIn(line: string): JsonRecord[] {
  if (line.trim() === "") return [];
  try {
    const parsed: unknown = JSON.parse(line);
    return isRecord(parsed) ? [parsed] : [];
  } catch {
    return [];
  }
}
