import type { ServerContext } from "@modelcontextprotocol/server";
import { type Formats, NO_FORMATS } from "../protocol/dialects/registry.ts";
import { DIALECT_NAMES, type DialectName } from "../protocol/handoff-words.ts";
import type { Engine, RepositoryInfo } from "../runtime/engine.ts";
import { formatFolder } from "../runtime/operations/format-folder.ts";
import { openFormats } from "../runtime/operations/load-formats.ts";
import type { RequestSource } from "../runtime/request-source.ts";
import { AppError } from "../shared/app-error.ts";
import { cutText, visibleLine } from "../shared/envelope.ts";

/** What the tools, resources and prompts of Baton work with. */
export interface McpContext {
  readonly version: string;
  /** The working directory, absolute: its formats and its repository are meant. */
  readonly directory: string;
  /** The configuration folder of the operator, outside of every repository. */
  readonly configFolder: string;
  /** The folders in which programs are looked for. */
  readonly searchPath: string;
  repositoryInfo(): RepositoryInfo;
  /** What the client that has started this server has put into its environment; nothing where none has. */
  environment(name: string): string | undefined;
  /** Looks at the state that is there; nothing is made. */
  look<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
  /** The same where something is to be stored. */
  change<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
  /** Where requests come from that do not come over HTTP. */
  readonly ownSource: () => RequestSource;
  /** Drives a stored run on, in a process that lives longer than the request; null where no runs are driven. */
  readonly drive: ((run: string, engine: Engine) => Promise<unknown>) | null;
}

/** Where a request comes from: over HTTP the process that sent it, otherwise the one that started this server. */
export function sourceOfCall({ http }: ServerContext, { ownSource }: McpContext): RequestSource {
  const source: unknown = http?.authInfo?.extra?.["source"];
  return typeof source === "function" ? (source as () => RequestSource)() : ownSource();
}

/** The formats of the team's own that hold in the working directory. */
export function formatsIn({ directory }: Pick<McpContext, "directory">): Formats {
  const folder = formatFolder(directory);
  return folder === null ? NO_FORMATS : openFormats(folder, directory);
}

export function dialectNames(formats: Formats): string[] {
  return [...DIALECT_NAMES, ...formats.map(({ name }) => name)];
}

export function knownDialect(name: string, formats: Formats, others: readonly string[] = []): DialectName {
  const names = [...dialectNames(formats), ...others];
  const found = names.find((known) => known === name);
  if (found !== undefined) return found;
  throw new AppError("wrong-usage", "There is no format of that name.", `There are: ${names.join(", ")}.`);
}

/** Text of an agent in one visible line that cannot be longer than this. */
export function shownLine(text: string, max = 500): string {
  return cutText(visibleLine(text), max);
}
