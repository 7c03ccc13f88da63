import {
  attributesWorld,
  countedWorld,
  elsewhereWorld,
  movedTargetWorld,
  shallowWorld,
  squashedWorld,
  trialMergeWorld,
} from "./branch-worlds.ts";
import { composeCases } from "./compose-cases.ts";
import {
  amendedWorld,
  caughtUpWorld,
  editedWorld,
  firstCommitWorld,
  mergedWorld,
  renamedWorld,
  worktreeWorld,
} from "./history-worlds.ts";
import { type Outcome, judgeCases } from "./judge-case.ts";
import { hostileWorld, linkedWorld, oddFilesWorld } from "./odd-worlds.ts";
import { stepWorld } from "./run-worlds.ts";
import { committedWorld, guessedBaseWorld, uncommittedWorld, withoutGitWorld } from "./shop-worlds.ts";
import { Workbench, type World } from "./workbench.ts";

const SEED = 20_260_309;

export interface TruthSet {
  readonly worlds: number;
  readonly handoffs: number;
  readonly outcomes: readonly Outcome[];
}

/** Builds every world, writes every handoff, and judges it as a run would, so many of one world at a look. */
export async function judgeTruthSet(perLook: number): Promise<TruthSet> {
  const bench = new Workbench();
  try {
    const worlds = await buildWorlds(bench);
    const cases = composeCases(worlds, SEED);
    const outcomes: Outcome[] = [];
    const left = worlds.flatMap((world) =>
      inParts(
        cases.filter((one) => one.world === world),
        perLook,
      ),
    );
    const work = async (): Promise<void> => {
      for (let part = left.shift(); part !== undefined; part = left.shift())
        outcomes.push(...(await judgeCases(part, bench.repository)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { worlds: worlds.length, handoffs: cases.length, outcomes };
  } finally {
    bench.remove();
  }
}

function inParts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

const AT_ONCE = 4;

async function buildWorlds(bench: Workbench): Promise<World[]> {
  return [
    await committedWorld(bench),
    await uncommittedWorld(bench),
    await guessedBaseWorld(bench),
    await withoutGitWorld(bench),
    await renamedWorld(bench, true),
    await renamedWorld(bench, false),
    await mergedWorld(bench, "merge"),
    await mergedWorld(bench, "squash"),
    await mergedWorld(bench, "rebase"),
    await amendedWorld(bench),
    await firstCommitWorld(bench),
    await worktreeWorld(bench),
    await caughtUpWorld(bench, "merge"),
    await caughtUpWorld(bench, "rebase"),
    await editedWorld(bench),
    await squashedWorld(bench, "alone"),
    await squashedWorld(bench, "with others"),
    await trialMergeWorld(bench),
    await elsewhereWorld(bench),
    await movedTargetWorld(bench),
    await countedWorld(bench),
    await shallowWorld(bench),
    await attributesWorld(bench),
    await oddFilesWorld(bench),
    await linkedWorld(bench),
    await hostileWorld(bench),
    await stepWorld(bench, "passed"),
    await stepWorld(bench, "failed"),
    await stepWorld(bench, "not run"),
  ];
}

/** The four figures that matter, of some outcomes. */
export interface TruthFigures {
  readonly claims: number;
  /** False and refuted; by the reader, where it refused the whole handoff. */
  readonly detected: number;
  /** False, covered by a procedure, and not refuted. */
  readonly missed: number;
  /** True and refuted. */
  readonly falselyRefused: number;
  readonly confirmed: number;
  readonly unverifiable: number;
}

export function countOutcomes(outcomes: readonly Outcome[]): TruthFigures {
  const count = (holds: (outcome: Outcome) => boolean): number => outcomes.filter(holds).length;
  return {
    claims: outcomes.length,
    detected: count(({ isTrue, verdict }) => !isTrue && (verdict === "refuted" || verdict === "unread")),
    missed: count(({ isTrue, expect, verdict }) => !isTrue && expect === "refuted" && !isAgainst(verdict)),
    falselyRefused: count(({ isTrue, verdict }) => isTrue && verdict === "refuted"),
    confirmed: count(({ isTrue, verdict }) => isTrue && verdict === "confirmed"),
    unverifiable: count(({ verdict }) => verdict === "unverifiable"),
  };
}

function isAgainst(verdict: Outcome["verdict"]): boolean {
  return verdict === "refuted" || verdict === "unread";
}
