import { randomBytes } from "node:crypto";
import { McpServer, type McpServerFactory, createRequestStateCodec } from "@modelcontextprotocol/server";
import type { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import type { McpSurface } from "./surface.ts";

export type { McpServerFactory } from "@modelcontextprotocol/server";

/** How long a person may take for an answer, in seconds. */
const ANSWER_TIME = 600;

/** Lists change with the formats of the repository and with runs, so that a client may keep them only for a moment. */
const CACHED = { ttlMs: 5_000, cacheScope: "private" } as const;

/** The one factory of MCP servers, for every transport and for both eras of the protocol. */
export function serverFactory(surface: McpSurface, skills: SkillsExtension | null): McpServerFactory {
  // Of this process alone: what was sealed by one that has ended is asked again.
  const codec = createRequestStateCodec({ key: randomBytes(32), ttlSeconds: ANSWER_TIME });
  return () => {
    const { name, title, version, instructions } = surface;
    const server = new McpServer(
      { name, title, version },
      {
        instructions,
        cacheHints: { "tools/list": CACHED, "prompts/list": CACHED, "resources/templates/list": CACHED },
        inputRequired: { maxRounds: 3, roundTimeoutMs: ANSWER_TIME * 1_000 },
        requestState: { verify: (state, context) => codec.verify(state, context) },
      },
    );
    surface.register(server, codec);
    skills?.attach(server);
    return server;
  };
}
