import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import type { ToolCall } from "./surface.ts";

interface CallingClient {
  /** What the client calls itself, which proves nothing; null when it does not say. */
  readonly name: string | null;
  readonly version: string;
  /** Whether it can show a question to its person. */
  readonly canAsk: boolean;
}

/** The client of a call, in either era: since 2026-07-28 each request says it, before that it was said once. */
export function clientOfCall({ context, server: { server } }: ToolCall): CallingClient {
  const envelope: JsonRecord = { ...context.mcpReq.envelope };
  // oxlint-disable-next-line typescript/no-deprecated -- connections of the era before have no other
  const info: unknown = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  // oxlint-disable-next-line typescript/no-deprecated -- the same
  const can: unknown = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { name, version } = isRecord(info) ? info : {};
  return {
    name: typeof name === "string" ? name : null,
    version: typeof version === "string" ? version : "",
    canAsk: isRecord(can) && can["elicitation"] !== undefined,
  };
}
