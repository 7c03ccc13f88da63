import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { fitsPath } from "../api/read-request.ts";
import { instructionsFor } from "../protocol/instructions.ts";
import { listRunItems } from "../runtime/operations/list-runs.ts";
import { showHandoff } from "../runtime/operations/show-handoff.ts";
import { showRun } from "../runtime/operations/show-run.ts";
import { AppError } from "../shared/app-error.ts";
import { type McpContext, dialectNames, formatsIn, shownLine } from "./context.ts";
import { describeRun, handoffAddress } from "./tools/run-tools.ts";
import { inEnvelope } from "./tools/knowledge-tools.ts";

const FORMATS = "baton://formats/";
const RUNS = "baton://runs/";
const MAX_LISTED = 20;

/** What a client can attach to a conversation: how each format is written, runs, and their handoffs. */
export function registerResources(server: McpServer, context: McpContext): void {
  registerFormats(server, context);
  registerRuns(server, context);
  registerHandoffs(server, context);
}

function registerFormats(server: McpServer, context: McpContext): void {
  const names = (): string[] => dialectNames(formatsIn(context));
  const template = new ResourceTemplate(`${FORMATS}{dialect}`, {
    list: () => ({
      resources: names().map((name) => ({
        uri: FORMATS + name,
        name: `format-${name}`,
        title: `How to write ${name}`,
        mimeType: "text/markdown",
      })),
    }),
    complete: { dialect: (begun) => names().filter((name) => name.startsWith(begun)) },
  });
  const about = {
    title: "Instructions of a format",
    description: "How an agent writes a handoff of this format, made from the rules that it is checked by.",
    mimeType: "text/markdown",
  };
  server.registerResource("format", template, about, (uri, { dialect }) =>
    reading(uri, () => {
      const formats = formatsIn(context);
      const found = dialectNames(formats).find((name) => name === dialect);
      if (found === undefined) throw new ResourceNotFoundError(uri.href);
      return Promise.resolve(instructionsFor(found, { formats }));
    }),
  );
}

function registerRuns(server: McpServer, context: McpContext): void {
  const newest = () => context.look(({ ports }) => listRunItems(ports, { limit: MAX_LISTED }));
  const template = new ResourceTemplate(`${RUNS}{run}`, {
    list: async () => ({
      resources: (await newest()).runs.map(({ run, workflow, status }) => ({
        uri: RUNS + run,
        name: `run-${run}`,
        title: shownLine(`Run ${run} of ${workflow}: ${status}`, 200),
        mimeType: "application/json",
      })),
    }),
    complete: { run: runsFrom },
  });
  const about = {
    title: "A run",
    description: "Where a run stands, its steps and its open questions, as get_run answers.",
    mimeType: "application/json",
  };
  server.registerResource("run", template, about, (uri, { run }) =>
    reading(uri, async () => {
      const name = pathPart("run", run, uri);
      return context.look(async ({ ports }) => JSON.stringify(describeRun(await showRun(ports, name)), null, 2));
    }),
  );

  async function runsFrom(begun: string): Promise<string[]> {
    return (await newest()).runs.map(({ run }) => run).filter((run) => run.startsWith(begun));
  }
}

/** They are found through their run: there may be very many. */
function registerHandoffs(server: McpServer, context: McpContext): void {
  const template = new ResourceTemplate(handoffAddress("{run}", "{attempt}"), { list: undefined });
  const about = {
    title: "A handoff",
    description: "A handoff as its agent wrote it, in an envelope, with what became of its claims.",
    mimeType: "text/markdown",
  };
  server.registerResource("handoff", template, about, (uri, { run, attempt }) =>
    reading(uri, async () => {
      const [name, id] = [pathPart("run", run, uri), pathPart("attempt", attempt, uri)];
      return context.look(async ({ ports }) => {
        const { agent, accepted, source, claims } = await showHandoff(ports, name, id);
        const judged = claims.map(({ verdict, says, evidence }) =>
          shownLine(`- ${verdict}: ${says} (${evidence})`, 1_000),
        );
        const parts = [accepted ? "Accepted." : "Refused.", source ?? "(Its text was not kept.)", ...judged];
        return inEnvelope(`handoff of ${shownLine(agent, 100)}`, parts.join("\n\n"));
      });
    }),
  );
}

function pathPart(name: string, value: string | readonly string[] | undefined, uri: URL): string {
  if (typeof value === "string" && fitsPath(name, value)) return value;
  throw new ResourceNotFoundError(uri.href);
}

/** What is not there is told as the protocol tells it. */
async function reading({ href }: URL, read: () => Promise<string>) {
  try {
    const text = await read();
    const mimeType = text.startsWith("{") ? "application/json" : "text/markdown";
    return { contents: [{ uri: href, mimeType, text }] };
  } catch (error) {
    if (error instanceof AppError && (error.code === "no-such-run" || error.code === "no-match"))
      throw new ResourceNotFoundError(href);
    throw error;
  }
}
