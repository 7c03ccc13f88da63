import type { Ports } from "../ports/ports.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { OwedEffect } from "../workflow/stored/owed-effect.ts";
import { copyName } from "./run-gate.ts";

/**
 * Ends what is left of an agent or a gate whose baton process has died. Returns how many milliseconds an agent is known
 * to have worked; 0 for a gate, and when that is not known.
 */
export async function endOrphans(
  { workspace, killOrphans }: Pick<Ports, "workspace" | "killOrphans">,
  run: string,
  kind: Workflow["workspace"],
  effect: OwedEffect,
): Promise<number> {
  if (effect.kind === "start-agent")
    return (await killOrphans(`${run}.${effect.attempt}`, await workspace.scratch(run, effect.attempt))) ?? 0;
  // The gate ran in its copy, or in the workspace if there was no copy.
  const copy = workspace.copyFolder(run, copyName(effect.gateRun));
  // If the workspace cannot be prepared, no process runs in it.
  const directory = await workspace.prepare(run, kind).catch(() => copy);
  for (const folder of new Set([copy, directory])) await killOrphans(`${run}.${effect.gateRun}`, folder);
  return 0;
}
