import type { GetPromptResult, McpServer } from "@modelcontextprotocol/server";
import { bodyText } from "../api/route.ts";
import { DIALECT_NAMES } from "../protocol/handoff-words.ts";
import { instructionsFor } from "../protocol/instructions.ts";
import { previewAbout, renderPacket } from "../runtime/operations/preview-packet.ts";
import { shownLine, type McpContext, formatsIn, knownDialect } from "./context.ts";
import { argumentsSchema } from "./schema.ts";
import { inEnvelope } from "./tools/knowledge-tools.ts";

const USUAL_FORMAT = "task-yaml";

/** What a person can ask for by name, as with a slash command. */
export function registerPrompts(server: McpServer, context: McpContext): void {
  registerWrite(server, context);
  registerPickUp(server, context);
}

function registerWrite(server: McpServer, context: McpContext): void {
  const described = {
    title: "Write a handoff",
    description: "Hand the work of this session over: a handoff that is checked before it is given.",
    argsSchema: argumentsSchema({
      dialect: bodyText.optional(`Its format: ${DIALECT_NAMES.join(", ")}, or one of this repository.`, 100),
      from: bodyText.optional("The agent that writes it.", 64),
      to: bodyText.optional("The agent that it is for.", 64),
    }),
  };
  server.registerPrompt("write_handoff", described, ({ dialect = USUAL_FORMAT, from, to }) => {
    const formats = formatsIn(context);
    const names = {
      ...(from !== undefined && { from: shownLine(from) }),
      ...(to !== undefined && { to: shownLine(to) }),
    };
    const how = instructionsFor(knownDialect(dialect, formats), { formats, ...names });
    return userMessage(
      `Write a handoff of the work that was done in this session: what is done, what is open, which files were changed, which checks ran and how they ended. Claim only what you have seen. Check it with validate_handoff and mend it until it is valid; then end your message with it.\n\n${how}`,
    );
  });
}

function registerPickUp(server: McpServer, context: McpContext): void {
  const described = {
    title: "Pick the work up",
    description: "Begin with what earlier work has taught about this.",
    argsSchema: argumentsSchema({ about: bodyText.required("What the work is about.", 20_000) }),
  };
  server.registerPrompt("pick_up", described, async ({ about }) => {
    const size = { budget: null, complexity: null, layout: null };
    const { packet } = await context.look((engine) => previewAbout(engine, about, size));
    const known =
      packet.sections.length === 0
        ? "Nothing is known about it yet."
        : inEnvelope("what is known", renderPacket(packet));
    return userMessage(
      `The work is: ${shownLine(about, 20_000)}\n\n${known}\n\nSay in a few lines what is done and what is open, check it against the repository, and go on from there.`,
    );
  });
}

function userMessage(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
