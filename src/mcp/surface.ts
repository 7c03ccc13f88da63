import type { CallToolResult, InputRequiredResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { RequestFields } from "../api/route.ts";
import type { RecordOf, RecordShape, Shape } from "../protocol/shape.ts";
import { AppError } from "../shared/app-error.ts";
import { answerSchema, argumentsSchema } from "./schema.ts";

/** What a server offers. The factory makes a server of it for each connection, and for each request where there are none. */
export interface McpSurface {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Shown to the model that uses the server. */
  readonly instructions: string;
  /** Adds tools, resources and prompts. */
  register(server: McpServer, codec: StateCodec): void;
}

/** Seals what a tool wants to know again when the client comes back with an answer. */
export interface StateCodec {
  mint(payload: unknown): Promise<string>;
}

/** A tool as data; what it answers is given as structured content and as text. */
export interface McpTool<F extends RequestFields = RequestFields, T = unknown> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: F;
  readonly output: RecordShape & { readonly type?: T };
  answer(given: RecordOf<F>, call: ToolCall): Promise<ToolAnswer<T> | InputRequiredResult>;
}

/** What clients tell their users about a tool before they allow it. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Only looks, and at nothing outside of this machine. */
export const LOOKS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export interface ToolAnswer<T> {
  readonly data: T;
  /** The same for a model that is given text only. */
  readonly text: string;
  /** True where the model must know that what it wanted was not done. */
  readonly isError?: boolean;
}

/** One call of a tool. */
export interface ToolCall {
  readonly context: ServerContext;
  readonly server: McpServer;
  readonly codec: StateCodec;
  /** Tells a client that waits how far the work is; nothing is sent to one that has not asked for it. */
  readonly progress: (done: number, message: string) => Promise<void>;
}

/** Keeps the types of the fields and of the answer together. */
export function defineTool<F extends RequestFields, T>(tool: McpTool<F, T>): McpTool {
  return tool;
}

export function registerTool(server: McpServer, tool: McpTool, codec: StateCodec): void {
  const { name, title, description, hints, input, output } = tool;
  const described = {
    title,
    description,
    inputSchema: argumentsSchema(input),
    outputSchema: answerSchema(output as Shape),
    annotations: { title, ...hints },
    // Claude Code hides the tools of a server until they are searched for, unless they say this.
    _meta: { "anthropic/alwaysLoad": true },
  };
  server.registerTool(name, described, async (given, context): Promise<CallToolResult | InputRequiredResult> => {
    const call = { context, server, codec, progress: progressOf(context) };
    try {
      const answer = await tool.answer(given, call);
      return isAnswer(answer) ? resultOf(answer) : answer;
    } catch (error) {
      if (error instanceof AppError) return refusedCall(error);
      throw error;
    }
  });
}

function isAnswer(answer: ToolAnswer<unknown> | InputRequiredResult): answer is ToolAnswer<unknown> {
  return "data" in answer;
}

function resultOf({ data, text, isError }: ToolAnswer<unknown>): CallToolResult {
  const structuredContent = data as Record<string, unknown>;
  return { content: [{ type: "text", text }], structuredContent, ...(isError === true && { isError }) };
}

/** An error that the model can read and act on. */
function refusedCall({ code, message, hint }: AppError): CallToolResult {
  return { content: [{ type: "text", text: `${message} ${hint} [${code}]` }], isError: true };
}

function progressOf({ mcpReq }: ServerContext): ToolCall["progress"] {
  const progressToken = mcpReq._meta?.progressToken;
  return async (progress, message) => {
    if (progressToken === undefined) return;
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
}
