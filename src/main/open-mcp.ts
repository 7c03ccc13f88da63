import { join } from "node:path";
import type { Terminal } from "../cli/terminal.ts";
import { batonSurface } from "../mcp/baton-surface.ts";
import { serverFactory } from "../mcp/build-server.ts";
import type { McpContext } from "../mcp/context.ts";
import { McpEndpoint } from "../mcp/http-endpoint.ts";
import { serveOverStdio } from "../mcp/serve-stdio.ts";
import { openSkills } from "../mcp/skills.ts";
import type { Engine } from "../runtime/engine.ts";
import { findSource } from "./find-source.ts";
import { tellOnce } from "./open-engine.ts";
import { openState } from "./open-state.ts";
import { readRepositoryInfo } from "./read-repository-info.ts";
import { findStatePlace } from "./state-folder.ts";

type Around = Pick<Terminal, "configFolder" | "version">;

/**
 * For one client, over the standard streams of this process. It may live as long as the client, so the state is opened
 * for each call and closed again: another process may make it, adopt it or take it back meanwhile.
 */
export async function serveMcp(
  terminal: Around & Pick<Terminal, "note" | "interruption" | "detach" | "searchPath">,
): Promise<void> {
  const directory = process.cwd();
  const notify = tellOnce((message) => terminal.note(`baton: ${message}\n`));
  const { configFolder } = terminal;
  const context: McpContext = {
    ...contextOf(directory, terminal),
    searchPath: terminal.searchPath,
    look: async (work) => using(await openState(directory, configFolder, notify, "existing"), work),
    change: async (work) => using(await openState(directory, configFolder, notify, "made"), work),
    ownSource: () => findSource(findStatePlace(directory, process.env).stateFolder),
    environment: (name) => process.env[name],
    drive: (run, { stateFolder }) =>
      Promise.resolve(terminal.detach(["resume", run], join(stateFolder, `run-${run}.log`))),
  };
  const factory = serverFactory(batonSurface(context), await openSkills());
  const { stdin: input, stdout: output } = process;
  await serveOverStdio(factory, { input, output, until: terminal.interruption(), notify });
}

/** At `/mcp` of the server, over the engine that it has open. */
export async function openMcpEndpoint(
  engine: Engine,
  drive: McpContext["drive"],
  { notify, ...around }: Around & { readonly notify: (trouble: unknown) => void },
): Promise<McpEndpoint> {
  const context: McpContext = {
    ...contextOf(engine.root, around),
    searchPath: process.env["PATH"] ?? "",
    look: (work) => work(engine),
    change: (work) => work(engine),
    ownSource: () => findSource(engine.stateFolder),
    environment: () => undefined,
    drive,
  };
  return new McpEndpoint(serverFactory(batonSurface(context), await openSkills()), notify);
}

function contextOf(directory: string, { configFolder, version }: Around) {
  return { directory, configFolder, version, repositoryInfo: () => readRepositoryInfo(directory) };
}

async function using<T>(engine: Engine, work: (engine: Engine) => Promise<T>): Promise<T> {
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
