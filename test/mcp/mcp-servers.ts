import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openServer } from "../../src/http/open-server.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { openMcpEndpoint } from "../../src/main/open-mcp.ts";
import { serverFactory } from "../../src/mcp/build-server.ts";
import { McpEndpoint } from "../../src/mcp/http-endpoint.ts";
import { fixtureSurface } from "./fixture-surface.ts";
import { openTokenProxy } from "./token-proxy.ts";

interface OpenMcp {
  /** Of a proxy that adds the token. */
  readonly url: string;
  /** Of the server itself. */
  readonly port: number;
  readonly token: string;
  readonly folder: string;
  close(): Promise<void>;
}

const TOKEN = "token-of-the-mcp-tests-0123456789";

/** The HTTP server of Baton over an empty repository: with the tools of Baton, or those that the suite calls. */
export async function openMcpServer(kind: "fixture" | "baton"): Promise<OpenMcp> {
  const folder = mkdtempSync(join(tmpdir(), "baton-mcp-"));
  const engine = openEngine(folder);
  const notify = (): void => undefined;
  const mcp =
    kind === "fixture"
      ? new McpEndpoint(serverFactory(fixtureSurface, null), notify)
      : await openMcpEndpoint(engine, null, { configFolder: join(folder, "config"), version: "0.0.0-test", notify });
  const notAsked = (): Promise<never> => Promise.reject(new Error("not asked"));
  const server = await openServer({
    engine,
    mcp,
    keeper: null,
    longWork: { measure: notAsked, verify: notAsked },
    port: 0,
    token: TOKEN,
    pageFolder: folder,
    about: { version: "0.0.0-test", root: "fixture", startedAt: 0, demo: false },
    sourceOf: () => ({ account: "tester", attempt: null }),
    isAttemptToken: () => false,
    hooks: () => Promise.reject(new Error("not asked")),
    schedules: () => Promise.reject(new Error("not asked")),
    notify,
  });
  const proxy = await openTokenProxy(server.port, TOKEN);
  return {
    url: proxy.url,
    port: server.port,
    token: TOKEN,
    folder,
    async close() {
      proxy.close();
      await mcp.close();
      await server.stop();
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
