import { HOOK_CLIENTS, type HookClient } from "../runtime/hooks/hook-call.ts";
import type { SessionName } from "../runtime/hooks/submit-in-session.ts";
import { AppError } from "../shared/app-error.ts";
import { clientOfCall } from "./client-of-call.ts";
import type { McpContext } from "./context.ts";
import type { ToolCall } from "./surface.ts";

interface KnownClient {
  readonly client: HookClient;
  /** A variable in which it tells the servers that it starts which session they are for; null where it does not. */
  readonly variable: string | null;
  /** A key of each request in which it tells the same. */
  readonly key: string | null;
}

/** By what each client calls itself. What it tells was seen by running it; Gemini tells nothing. */
const CLIENTS: Readonly<Record<string, KnownClient>> = {
  "claude-code": { client: "claude", variable: "CLAUDE_CODE_SESSION_ID", key: null },
  "copilot-cli": { client: "copilot", variable: "COPILOT_AGENT_SESSION_ID", key: null },
  "codex-mcp-client": { client: "codex", variable: null, key: "sessionId" },
};

interface Claimed {
  readonly client?: string | undefined;
  readonly session?: string | undefined;
}

/**
 * The session of a client that a call comes from: as the client tells it, or else as the caller says, who must name both.
 * A caller that names another one than its client tells is refused. Null where neither says it.
 */
export function sessionOfCall(call: ToolCall, context: McpContext, claimed: Claimed): SessionName | null {
  const told = toldBy(call, context);
  const said = claimedSession(claimed);
  if (told === null || said === null) return told ?? said;
  if (told.client === said.client && told.session === said.session) return told;
  throw new AppError(
    "conflict",
    `You work in session ${told.session} of ${told.client}: a handoff for another session is not taken from you. Nothing was taken.`,
    "Leave out `client` and `session`, or name your own.",
  );
}

/** The environment is that of the client only where the client has started this server. */
function toldBy(call: ToolCall, around: McpContext): SessionName | null {
  const { context } = call;
  const { name: own } = clientOfCall(call);
  const known = Object.entries(CLIENTS).find(([name]) => name === own)?.[1];
  if (known === undefined) return null;
  const { client, variable, key } = known;
  const inRequest: unknown = key === null ? undefined : context.mcpReq._meta?.[key];
  const given = variable !== null && context.http === undefined ? around.environment(variable) : inRequest;
  return typeof given === "string" && given !== "" ? { client, session: given } : null;
}

function claimedSession({ client: name, session }: Claimed): SessionName | null {
  if (name === undefined && session === undefined) return null;
  const client = HOOK_CLIENTS.find((one) => one === name);
  if (client !== undefined && session !== undefined && session !== "") return { client, session };
  throw new AppError(
    "wrong-usage",
    "`client` and `session` go together: one alone names no session. Nothing was taken.",
    `\`client\` is one of ${HOOK_CLIENTS.join(", ")}.`,
  );
}
