import type { Statement } from "../claim.ts";
import { addedExclusions } from "../exclusion-comments.ts";
import { changedGates } from "../gate-files.ts";
import { counted, listed } from "../wording.ts";
import {
  type ClaimFinding,
  type JudgeContext,
  NO_PROCEDURE,
  confirmed,
  diffProcedure,
  refuted,
  unverifiable,
} from "./judge-context.ts";

const NO_BASE = "There is no earlier state to compare with.";

/** The agent that a gate judges must not change what the gate is, unless somebody knows of it. */
export function judgeGateFiles(
  { commands, reports }: Pick<Extract<Statement, { of: "gate-files" }>, "commands" | "reports">,
  context: JudgeContext,
): ClaimFinding {
  const procedure = diffProcedure(context);
  const { observations, definitions } = context;
  if (observations.base === null) return unverifiable(procedure, NO_BASE);
  if (definitions === undefined) return unverifiable(procedure, "The files that define gates were not looked at.");
  const changed = definitions.changed.filter(({ path }) => !reports.includes(path));
  const found = changedGates(commands, definitions.scripts, changed);
  if (found.length === 0) return confirmed(procedure, "No file that defines a gate differs.");
  return refuted(procedure, `What defines a gate was changed: ${shown(found)}.`);
}

/** Parts that are quoted already. */
function shown(parts: readonly string[]): string {
  const more = parts.length - MAX_PARTS;
  return parts.slice(0, MAX_PARTS).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

const MAX_PARTS = 8;

/** Packages that an agent changed would pass their own tests. */
export function judgeGateFolders(
  { folders }: Extract<Statement, { of: "gate-folders" }>,
  { written }: JudgeContext,
): ClaimFinding {
  const procedure = "times at which files were last changed";
  if (written === undefined) return unverifiable(NO_PROCEDURE, "It is not known when the work began.");
  const found = folders.flatMap((folder) => {
    const { count, sample } = written.get(folder) ?? { count: 0, sample: [] };
    const names = listed(sample.map((name) => `${folder}/${name}`));
    return count === 0 ? [] : [`${counted(count, "file")}${count > sample.length ? ", such as" : ":"} ${names}`];
  });
  if (found.length === 0) return confirmed(procedure, "Nothing in it was written since the work began.");
  return refuted(procedure, `Packages that gates use were changed during the work: ${found.join("; ")}.`);
}

/** Lines that a comment takes out of coverage, lint or type checks are checked no more. */
export function judgeExclusions(
  { checks }: Extract<Statement, { of: "exclusions" }>,
  context: JudgeContext,
): ClaimFinding {
  const procedure = diffProcedure(context);
  if (context.sources === undefined) return unverifiable(procedure, "The changed files were not read.");
  const found = context.sources.flatMap((file) => addedExclusions(file, checks));
  if (found.length === 0) return confirmed(procedure, "No such comment was added.");
  return refuted(procedure, `Comments take lines out of a check: ${listed(found.sort())}.`);
}

/** New files are no change of what was there. */
export function judgeUntouched(noun: string, isOne: (path: string) => boolean, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  if (context.observations.base === null) return unverifiable(procedure, NO_BASE);
  const former = context.index.formerNames();
  const changed: string[] = [];
  for (const [path, { change, from }] of context.index.entries()) {
    if (from !== undefined) {
      if (isOne(from)) changed.push(`${from} (renamed to ${path})`);
    } else if (change !== "created" && isOne(path) && !former.has(path)) changed.push(`${path} (${change})`);
  }
  if (changed.length === 0) return confirmed(procedure, `No ${noun} that was there before differs.`);
  return refuted(
    procedure,
    `${counted(changed.length, noun)} that ${changed.length === 1 ? "was" : "were"} there before changed: ${listed(changed.sort())}.`,
  );
}
