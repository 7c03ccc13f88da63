import { basename, dirname } from "node:path";
import { type JsonRecord, isRecord, ownValue } from "../../shared/json-value.ts";
import { MAIN_AGENT } from "../../workflow/file/sessions-section.ts";

/** Clients whose hooks call baton. */
export const HOOK_CLIENTS = ["claude", "codex", "gemini", "copilot", "opencode"] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** What has happened in a client, whatever it calls it. */
export type HookMoment = "session-start" | "prompt" | "agent-start" | "agent-stop" | "stop" | "session-end";

/** The names of clients for these, in small letters and without signs between words. */
const MOMENTS: Readonly<Record<string, HookMoment>> = {
  sessionstart: "session-start",
  userpromptsubmit: "prompt",
  userpromptsubmitted: "prompt",
  beforeagent: "prompt",
  subagentstart: "agent-start",
  subagentstop: "agent-stop",
  beforetool: "agent-stop",
  stop: "stop",
  agentstop: "stop",
  afteragent: "stop",
  sessionend: "session-end",
};

/** Null for an event that says nothing to us. */
export function momentOf(event: string): HookMoment | null {
  return ownValue(MOMENTS, event.toLowerCase().replaceAll(/[^a-z]/g, "")) ?? null;
}

/** One call of the hook, the same for every client. */
export interface HookCall {
  readonly client: HookClient;
  /** As the client calls it. */
  readonly event: string;
  readonly moment: HookMoment;
  /** The id of the session; empty when the client gave none. */
  readonly session: string;
  /** The folder in which the agent works; null when the client gave none. */
  readonly directory: string | null;
  /** The type of the agent, as its definition is called; null for a main agent without one. */
  readonly agentType: string | null;
  /** Tells agents apart; null for the main agent. Where the client does not, see `withNumber`. */
  readonly agentId: string | null;
  /** When the client has called, in milliseconds since 1970, by its own clock; null when it does not tell. */
  readonly calledAt: number | null;
  /** Tells the turns of a session apart, where the client does. */
  readonly turn: string | null;
  /** The last message of the agent; null when it has to be looked for in a transcript. */
  readonly message: string | null;
  /** Whether the client says that agents which this one has started still work in the background. */
  readonly waitsForAgents: boolean;
  readonly transcript: string | null;
  readonly agentTranscript: string | null;
  /** What the person has asked for, at a prompt. */
  readonly prompt: string | null;
  /** With what the tool is called that starts or ends a subagent; null where the client has an event for this. */
  readonly toolInput: JsonRecord | null;
}

/** What a call of the hook is about; or why it is about nothing that we know. */
type ReadCall = { readonly call: HookCall } | { readonly unusable: string };

/** Reads the input of a hook. Every field may be missing or of another type: clients change, and input may be cut off. */
export function readHookCall(client: HookClient, event: string, input: string): ReadCall {
  const known = momentOf(event);
  if (known === null) return { unusable: `the event ${clip(event)} is not known` };
  if (input.trim() === "") return { unusable: "the input is empty" };
  const parsed = parseJson(input);
  if (!isRecord(parsed)) return { unusable: "the input is not a JSON object, or cut off" };
  const fields = withPlainNames(parsed);
  const moment = /^before_?tool$/i.test(event) ? momentOfTool(fields["tool_name"]) : known;
  if (moment === null) return { unusable: "the tool neither starts nor ends a subagent" };
  return { call: { client, event, moment, ...readFields(client, moment, fields) } };
}

/** Gemini has no events for subagents, but a tool that starts one, and one with which it hands its result over. */
function momentOfTool(tool: JsonRecord[string] | undefined): HookMoment | null {
  if (tool === "invoke_agent") return "agent-start";
  return tool === "complete_task" ? "agent-stop" : null;
}

/** Copilot writes some fields in camelCase. */
function withPlainNames(fields: JsonRecord): JsonRecord {
  const plain = Object.entries(fields).map(([name, value]): [string, JsonRecord[string]] => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries([...plain, ...Object.entries(fields)]);
}

function readFields(
  client: HookClient,
  moment: HookMoment,
  fields: JsonRecord,
): Omit<HookCall, "client" | "event" | "moment"> {
  const textOf = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = fields[name];
      if (typeof value === "string" && value !== "") return value;
    }
    return null;
  };
  const agentType = textOf("agent_type", "agent_name", "subagent_type");
  // Gemini and OpenCode do not tell agents of one type apart.
  const unnamed = moment === "agent-start" || moment === "agent-stop" ? (agentType ?? UNNAMED) : null;
  const agentId = textOf("agent_id") ?? unnamed;
  const toolInput = fields["tool_input"];
  const session = textOf("session_id") ?? "";
  const transcript = textOf("transcript_path");
  return {
    session: client === "copilot" && agentId !== null ? sessionOfPerson(transcript, session) : session,
    directory: textOf("cwd"),
    agentType,
    agentId,
    calledAt: timeIn(fields["timestamp"]),
    turn: textOf("turn_id", "prompt_id"),
    message: moment === "agent-stop" && client === "gemini" ? resultOf(fields) : messageOf(fields),
    waitsForAgents: moment === "stop" && hasAgentsAtWork(fields["background_tasks"]),
    transcript,
    agentTranscript: textOf("agent_transcript_path"),
    prompt: withoutContext(client, textOf("prompt")),
    toolInput: isRecord(toolInput) ? toolInput : null,
  };
}

function timeIn(value: JsonRecord[string] | undefined): number | null {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : null;
}

/** Gemini puts what it was told at the start of the session before the first prompt, with its own brackets escaped in it. */
function withoutContext(client: HookClient, prompt: string | null): string | null {
  if (client !== "gemini" || prompt === null) return prompt;
  return prompt.replace(/^<hook_context>[^]*?<\/hook_context>\s*/, "");
}

/** Copilot gives each subagent a session of its own, and writes all of them into the transcript of the person's session. */
function sessionOfPerson(transcript: string | null, session: string): string {
  return transcript !== null && basename(transcript) === "events.jsonl" ? basename(dirname(transcript)) : session;
}

/** Claude lists what runs in the background; a command that runs there is nothing that the agent waits for. */
function hasAgentsAtWork(tasks: JsonRecord[string] | undefined): boolean {
  const isAtWork = (task: unknown): boolean =>
    isRecord(task) && task["status"] === "running" && (task["type"] === "subagent" || task["type"] === "workflow");
  return Array.isArray(tasks) && tasks.some(isAtWork);
}

const MESSAGE_FIELDS = ["last_assistant_message", "prompt_response", "response"];

function messageOf(fields: JsonRecord): string | null {
  for (const name of MESSAGE_FIELDS) {
    const value = fields[name];
    if (typeof value === "string") return value;
  }
  return null;
}

/** The result that a subagent of Gemini hands over: a text, or a record of a schema of its own. */
function resultOf(fields: JsonRecord): string {
  const given = fields["tool_input"];
  if (!isRecord(given)) return "";
  const { result = given } = given;
  return typeof result === "string" ? result : JSON.stringify(result, null, 2);
}

const UNNAMED = "subagent";

/** What the agent is called where it is named to people. */
export function nameOfAgent({ agentType, agentId }: Pick<HookCall, "agentType" | "agentId">): string {
  return agentType ?? (agentId === null ? MAIN_AGENT : UNNAMED);
}

/**
 * Whether a person has asked for something. Codex and Copilot call the same hook for what a subagent is asked by its
 * parent, Claude when an agent in the background has ended, and Gemini makes a prompt of our own words.
 */
export function isOfPerson({ moment, agentId, prompt }: HookCall): boolean {
  const words = prompt ?? "";
  return moment === "prompt" && agentId === null && !OF_NO_PERSON.some((beginning) => words.startsWith(beginning));
}

/** With this begins what an agent is told. A prompt that begins with it comes from us and not from a person. */
export const SENT_BACK = "Baton sends you back:";

const OF_NO_PERSON = [SENT_BACK, "<task-notification>"];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
