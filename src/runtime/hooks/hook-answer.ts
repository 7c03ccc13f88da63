import type { JsonRecord } from "../../shared/json-value.ts";
import type { HookCall, HookMoment } from "./hook-call.ts";

/** What a client is told. An empty record lets the agent go on. */
export type HookAnswer =
  | { readonly kind: "pass"; readonly message?: string }
  | { readonly kind: "send-back"; readonly reason: string }
  | { readonly kind: "inform"; readonly context: string };

type Answered = Pick<HookCall, "client" | "moment" | "toolInput">;

export function writeAnswer(answer: HookAnswer, call: Answered): JsonRecord {
  switch (answer.kind) {
    case "pass":
      return answer.message === undefined ? {} : { systemMessage: answer.message };
    case "send-back":
      return { decision: call.client === "gemini" ? "deny" : "block", reason: answer.reason };
    case "inform":
      if (call.client === "copilot") return { additionalContext: answer.context };
      return { hookSpecificOutput: informing(answer.context, call) };
  }
}

/** Gemini gives a subagent nothing but its prompt. */
function informing(context: string, call: Answered): JsonRecord {
  const { client, moment, toolInput } = call;
  if (client !== "gemini" || moment !== "agent-start")
    return { hookEventName: eventName(call), additionalContext: context };
  const prompt = toolInput?.["prompt"];
  const given = typeof prompt === "string" ? `${prompt}\n\n${context}` : context;
  return { hookEventName: "BeforeTool", tool_input: { ...toolInput, prompt: given } };
}

/** Clients compare it with the event that they have called the hook for. */
function eventName({ client, moment }: Answered): string {
  return client === "gemini" && moment === "prompt" ? "BeforeAgent" : EVENT_NAMES[moment];
}

const EVENT_NAMES: Readonly<Record<HookMoment, string>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "agent-start": "SubagentStart",
  "agent-stop": "SubagentStop",
  stop: "Stop",
  "session-end": "SessionEnd",
};
