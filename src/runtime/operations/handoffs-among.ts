import type { ChangeSight } from "../../evidence/sightings.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { Inspection } from "../inspection.ts";

/**
 * Changed files that are handoffs themselves, besides the named ones: they are no work, and nobody has to declare
 * them. Whoever wants to hide a change could write a handoff around it, so only files count that nothing else reads:
 * valid ones, by names that people give to handoffs and reports.
 */
export async function handoffsAmong(
  { machine, root }: Inspection,
  changes: ReadonlyMap<string, ChangeSight>,
  named: readonly string[],
): Promise<string[]> {
  const known = new Set(named);
  const candidates = [...changes].filter(([path, { change }]) => change !== "deleted" && isReport(path));
  const found: string[] = [];
  for (const [path] of candidates.filter(([name]) => !known.has(name)).slice(0, MOST_READ)) {
    const text = (await machine.workspace.read(root, path, LARGEST))?.text;
    if (typeof text === "string" && isHandoff(text, path)) found.push(path);
  }
  return found;
}

const MOST_READ = 500;
const LARGEST = 1_048_576;

/** Hidden folders have a meaning to tools, and so has a document in capitals: README.md, AGENTS.md. */
function isReport(path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.some((part) => part.startsWith(".")) || /^[A-Z_-]+\.\w+$/.test(name)) return false;
  return /\.(?:md|markdown|txt)$/i.test(name) || /handoff[^/]*\.(?:json|xml|ya?ml)$/i.test(name);
}

/** A summary without a block is read with good will; that is not enough here. */
function isHandoff(text: string, path: string): boolean {
  const { valid, handoffs, diagnostics } = readHandoffs(text, { path });
  return valid && handoffs.length > 0 && diagnostics.every(({ code }) => code !== "legacy-summary");
}
