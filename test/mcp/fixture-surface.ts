import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
  fromJsonSchema,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import type { McpSurface, StateCodec } from "../../src/mcp/surface.ts";

/** A red pixel, and a sound without samples. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/**
 * What the public conformance suite calls by fixed names, made by our own factory and served by our own transports
 * behind our own guard.
 */
export const fixtureSurface: McpSurface = {
  name: "baton-conformance-fixture",
  title: "Fixture for the conformance suite",
  version: "1.0.0",
  instructions: "Only for the conformance suite.",
  register(server, codec) {
    server.server.registerCapabilities({ logging: {}, completions: {}, resources: { subscribe: true } });
    addContentTools(server);
    addMessagingTools(server);
    addFormTools(server);
    addRoundTripTools(server, codec);
    addResources(server);
    addPrompts(server);
  },
};

type Result = CallToolResult | InputRequiredResult;
type Run = (given: Readonly<Record<string, unknown>>, context: ServerContext) => Result | Promise<Result>;

function tool(server: McpServer, name: string, run: Run, properties: Record<string, object> = {}): void {
  const inputSchema = fromJsonSchema<Record<string, unknown>>({ type: "object", properties });
  server.registerTool(name, { description: `Fixture ${name}`, inputSchema }, (given, context) => run(given, context));
}

function said(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

function addContentTools(server: McpServer): void {
  const image = { type: "image", data: PIXEL, mimeType: "image/png" } as const;
  const resource = (uri: string, mimeType: string, text: string) =>
    ({ type: "resource", resource: { uri, mimeType, text } }) as const;
  tool(server, "test_simple_text", () => said("This is a simple text response for testing."));
  tool(server, "test_image_content", () => ({ content: [image] }));
  tool(server, "test_audio_content", () => ({ content: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }] }));
  tool(server, "test_embedded_resource", () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  tool(server, "test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }));
  tool(server, "test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

/** The older era has messages for a log, and the suite wants to see them. */
// oxlint-disable-next-line typescript/no-deprecated -- the suite asks for it
const log = (context: ServerContext, text: string): Promise<void> => context.mcpReq.log("info", text);

function addMessagingTools(server: McpServer): void {
  tool(server, "test_tool_with_logging", async (_given, context) => {
    for (const text of ["Tool execution started", "Tool processing data", "Tool execution completed"])
      await log(context, text);
    return said("Logged three messages.");
  });
  tool(server, "test_logging_tool", async (_given, context) => {
    await log(context, "A message of the tool");
    return said("Logged one message.");
  });
  tool(server, "test_tool_with_progress", async (_given, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` },
        });
    return said(String(progressToken ?? ""));
  });
  tool(
    server,
    "test_sampling",
    (given, { mcpReq }) => {
      const response = inputResponse(mcpReq.inputResponses, "sample");
      if (response.kind === "sampling") return said(`LLM response: ${JSON.stringify(response.result.content)}`);
      return inputRequired({ inputRequests: { sample: sampling(String(given["prompt"])) } });
    },
    { prompt: { type: "string" } },
  );
}

function sampling(text: string) {
  return inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 });
}

type Properties = Parameters<typeof inputRequired.elicit>[0]["requestedSchema"] extends infer S
  ? S extends { properties: infer P }
    ? P
    : never
  : never;

function form(message: string, properties: Properties, required: string[] = []) {
  return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required } });
}

/** Asks once and tells what came back. */
function formTool(server: McpServer, name: string, makeForm: (message: string) => ReturnType<typeof form>): void {
  const run: Run = (given, { mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, "form");
    if (response.kind === "elicit")
      return said(`User response: action=${response.action}, content=${JSON.stringify(response.content ?? {})}`);
    const message = typeof given["message"] === "string" ? given["message"] : "Please fill this in";
    return inputRequired({ inputRequests: { form: makeForm(message) } });
  };
  tool(server, name, run, { message: { type: "string" } });
}

function addFormTools(server: McpServer): void {
  const options = ["option1", "option2", "option3"];
  const titled = ["First", "Second", "Third"].map((title, at) => ({ const: `value${at + 1}`, title }));
  formTool(server, "test_elicitation", (message) => form(message, { response: { type: "string" } }, ["response"]));
  formTool(server, "test_elicitation_sep1034_defaults", (message) =>
    form(message, {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  );
  formTool(server, "test_elicitation_sep1330_enums", (message) =>
    form(message, {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
      untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: options } },
      titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled } },
    }),
  );
}

const nameForm = () => form("What is your name?", { name: { type: "string" } }, ["name"]);

function contentOf(context: ServerContext, key: string): Readonly<Record<string, unknown>> | null {
  const response = inputResponse(context.mcpReq.inputResponses, key);
  return response.kind === "elicit" && response.action === "accept" ? (response.content ?? {}) : null;
}

function nameIn(context: ServerContext, key: string): string | null {
  const name = contentOf(context, key)?.["name"];
  return typeof name === "string" ? name : null;
}

function addRoundTripTools(server: McpServer, codec: StateCodec): void {
  const prefix = "test_input_required_result";
  tool(server, `${prefix}_elicitation`, (_given, context) => {
    const name = nameIn(context, "user_name");
    return name === null ? inputRequired({ inputRequests: { user_name: nameForm() } }) : said(`Hello, ${name}!`);
  });
  tool(server, `${prefix}_sampling`, (_given, { mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, "sample");
    if (response.kind === "sampling") return said(`Sampled: ${JSON.stringify(response.result.content)}`);
    return inputRequired({ inputRequests: { sample: sampling("What is the capital of France?") } });
  });
  tool(server, `${prefix}_list_roots`, (_given, { mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, "roots");
    if (response.kind === "roots") return said(`Found ${response.roots.length} roots`);
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  const confirm: Run = async (_given, context) => {
    const isBack = context.mcpReq.requestState() !== undefined;
    if (isBack && contentOf(context, "confirm") !== null) return said("state-ok: the state came back unchanged");
    const requests = { confirm: form("Please confirm", { ok: { type: "boolean" } }, ["ok"]) };
    return inputRequired({ inputRequests: requests, requestState: await codec.mint({ kind: "confirm" }) });
  };
  tool(server, `${prefix}_request_state`, confirm);
  tool(server, `${prefix}_tampered_state`, confirm);
  tool(server, `${prefix}_multiple_inputs`, async (_given, context) => {
    const { inputResponses: given } = context.mcpReq;
    const name = nameIn(context, "user_name");
    const isWhole = ["user_name", "greeting", "client_roots"].every(
      (key) => inputResponse(given, key).kind !== "missing",
    );
    if (isWhole && name !== null) return said(`All answers of ${name} are here`);
    const inputRequests = {
      user_name: nameForm(),
      greeting: sampling("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await codec.mint({ kind: "several" }) });
  });
  tool(server, `${prefix}_multi_round`, async (_given, context) => {
    const state = context.mcpReq.requestState<{ round: number; name?: string }>();
    const name = nameIn(context, "step1");
    if (state?.round === 1 && name !== null) {
      const step2 = form("Your favourite colour?", { color: { type: "string" } }, ["color"]);
      return inputRequired({ inputRequests: { step2 }, requestState: await codec.mint({ round: 2, name }) });
    }
    const color = contentOf(context, "step2")?.["color"];
    if (state?.round === 2 && typeof color === "string") return said(`${state.name ?? ""} likes ${color}`);
    return inputRequired({ inputRequests: { step1: nameForm() }, requestState: await codec.mint({ round: 1 }) });
  });
  tool(server, `${prefix}_capabilities`, (_given, context) => {
    const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
    const can = (envelope["io.modelcontextprotocol/clientCapabilities"] ?? {}) as Readonly<Record<string, unknown>>;
    const name = nameIn(context, "user_name");
    if (name !== null) return said(`Hello, ${name}!`);
    return inputRequired({
      inputRequests: {
        ...(can["elicitation"] !== undefined && { user_name: nameForm() }),
        ...(can["sampling"] !== undefined && { sample: sampling("Say something") }),
      },
      requestState: "none",
    });
  });
  tool(server, "test_missing_capability", () =>
    inputRequired({ inputRequests: { sample: sampling("Say something") } }),
  );
  tool(server, "test_streaming_elicitation", async (_given, context) => {
    const name = nameIn(context, "user_name");
    if (name !== null) return said(`Hello, ${name}!`);
    await log(context, "About to ask");
    return inputRequired({ inputRequests: { user_name: nameForm() } });
  });
  tool(server, "test_trigger_tool_change", () => {
    server.sendToolListChanged();
    return said("The list of tools has changed.");
  });
  tool(server, "test_trigger_prompt_change", () => {
    server.sendPromptListChanged();
    return said("The list of prompts has changed.");
  });
}

function addResources(server: McpServer): void {
  const text = (uri: string, mimeType: string, content: string) => ({ contents: [{ uri, mimeType, text: content }] });
  server.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, ({ href }) =>
    text(href, "text/plain", "This is the content of the static text resource."),
  );
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PIXEL }],
  }));
  server.registerResource("watched", "test://watched-resource", { mimeType: "text/plain" }, ({ href }) =>
    text(href, "text/plain", "Watched resource content"),
  );
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, ({ href }, { id }) =>
    text(href, "application/json", JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` })),
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
}

function addPrompts(server: McpServer): void {
  const message = (text: string) => ({ role: "user", content: { type: "text", text } }) as const;
  const argsSchema = (...names: string[]) =>
    fromJsonSchema<Record<string, string>>({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      required: names,
    });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () => ({
    messages: [message("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: argsSchema("arg1", "arg2") },
    ({ arg1, arg2 }) => ({ messages: [message(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: argsSchema("resourceUri") },
    ({ resourceUri = "" }) => ({
      messages: [
        {
          role: "user",
          content: { type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded." } },
        },
        message("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image" }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
      message("Please look at the image above."),
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first" }, ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, "user_context");
    if (response.kind === "elicit") return { messages: [message(`Context: ${JSON.stringify(response.content)}`)] };
    const user_context = form("Which context?", { context: { type: "string" } }, ["context"]);
    return inputRequired({ inputRequests: { user_context } });
  });
}
