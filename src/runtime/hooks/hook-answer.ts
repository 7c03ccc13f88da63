import type { JsonRecord } from "../../shared/json-value.ts";
import type { HookCall, HookMoment } from "./hook-call.ts";

/** What a client is told. An empty record lets the agent go on. */
export type HookAnswer =
  | { readonly kind: "pass"; readonly message?: string }
  | { readonly kind: "send-back"; readonly reason: string }
  | { readonly kind: "inform"; readonly context: string };

export function writeAnswer(answer: HookAnswer, call: Pick<HookCall, "client" | "moment">): JsonRecord {
  switch (answer.kind) {
    case "pass":
      return answer.message === undefined ? {} : { systemMessage: answer.message };
    case "send-back":
      return { decision: call.client === "gemini" ? "deny" : "block", reason: answer.reason };
    case "inform":
      return { hookSpecificOutput: { hookEventName: eventName(call), additionalContext: answer.context } };
  }
}

/** Clients compare it with the event that they have called the hook for. */
function eventName({ client, moment }: Pick<HookCall, "client" | "moment">): string {
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
