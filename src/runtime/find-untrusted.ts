import type { Ports } from "../ports/ports.ts";
import { diffLines } from "../shared/line-diff.ts";
import { type FileUser, coveredName, filesNamedBy } from "../workflow/file/named-files.ts";
import type { UntrustedFile } from "../workflow/input.ts";
import { type CoveredFile, readNamed } from "./covered-files.ts";
import type { RunSession } from "./run-session.ts";

/**
 * The files that an agent or a gate would run now and that are not the ones the run was trusted with: an agent, or someone
 * else, has changed them since. Looked for right before each start.
 */
export async function findUntrusted(
  ports: Pick<Ports, "workspace" | "seenTexts">,
  { workflow, state, lease }: RunSession,
  user: FileUser,
  directory: string,
): Promise<UntrustedFile[]> {
  const named = filesNamedBy(workflow, user);
  const root = await ports.workspace.prepare(lease.run, "in-place");
  const present = new Map(readNamed(named, { directory, root }).map((file) => [file.path, file]));
  const trusted = new Map((state.trusted ?? []).map(({ path, hash }) => [path, hash]));
  return named.flatMap((file): UntrustedFile[] => {
    const path = coveredName(file);
    const [is, was] = [present.get(path), trusted.get(path)];
    // A program does without a file that it only looks for.
    if (is?.hash === was || (is === undefined && file.isImplied)) return [];
    const before = was === undefined ? null : (ports.seenTexts?.find(was) ?? null);
    if (is !== undefined) ports.seenTexts?.keep(is.bytes);
    return [{ path, hash: is?.hash ?? null, says: describeFileChange(path, { was, before, is }) }];
  });
}

interface FileChange {
  /** Hash of the trusted content; undefined when there was none. */
  readonly was: string | undefined;
  /** The trusted content, where it was kept. */
  readonly before: string | null;
  readonly is: Pick<CoveredFile, "bytes"> | undefined;
}

/** In one line what became of a file, and below it what is different, as far as it is known. */
export function describeFileChange(path: string, { was, before, is }: FileChange): string {
  if (is === undefined) return `${path} is gone.`;
  if (was === undefined) return `${path} is new: it was not there when this was trusted.`;
  const now = Buffer.from(is.bytes).toString("utf8");
  if (before === null || now.includes("\0")) return `${path} has changed.`;
  const lines = diffLines(before, now.slice(0, MAX_TEXT));
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} ...` : line));
  const more = lines.length > shown.length ? [`... and ${lines.length - shown.length} more lines`] : [];
  return [`${path} has changed:`, ...shown, ...more].join("\n");
}

const MAX_LINES = 40;
const MAX_LINE = 200;
/** A comparison of more takes too long to be worth it. */
const MAX_TEXT = 64 * 1024;
