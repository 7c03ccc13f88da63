import type { DialectName } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";
import { Random } from "../simulation/random.ts";
import { Draft, type Plant } from "./plant.ts";
import type { World } from "./workbench.ts";

/** One handoff, written in a dialect, with what was planted in it. */
export interface Case {
  readonly world: World;
  readonly dialect: DialectName;
  readonly text: string;
  readonly planted: readonly Planted[];
}

interface Planted {
  readonly plant: Plant;
  readonly where: string;
}

const MAX_TRUE = 20;
const MAX_FALSE = 8;

/** Every plant of a world in every dialect: honest handoffs, and some with one lie or several among what is true. */
export function composeCases(worlds: readonly World[], seed: number): Case[] {
  const random = new Random(seed);
  return worlds.flatMap((world) =>
    DIALECT_NAMES.flatMap((dialect) => {
      const truths = shuffled(
        world.plants.filter(({ isTrue }) => isTrue),
        random,
      );
      const untruths = shuffled(
        world.plants.filter(({ isTrue }) => !isTrue),
        random,
      );
      const honest = pack(truths, [], MAX_TRUE, random);
      const lying = pack(untruths, truths, MAX_FALSE, random);
      return [...honest, ...lying].map((plants) => write(world, dialect, plants));
    }),
  );
}

/** Groups of at most `most` plants whose slots differ, each filled up with some of the others. */
function pack(plants: readonly Plant[], others: readonly Plant[], most: number, random: Random): Plant[][] {
  const groups: Plant[][] = [];
  for (const plant of plants) {
    const group = groups.find((candidate) => candidate.length < most && canJoin(plant, candidate));
    if (group === undefined) groups.push([plant]);
    else group.push(plant);
  }
  for (const group of groups)
    for (let tries = 0; tries < 3 && others.length > 0; tries++) {
      const other = random.pick(others);
      if (!group.includes(other) && canJoin(other, group)) group.push(other);
    }
  return groups;
}

function canJoin(plant: Plant, group: readonly Plant[]): boolean {
  return group.every(({ slot }) => slot === null || slot !== plant.slot);
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  for (let at = left.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [left[at], left[other]] = [left[other] as T, left[at] as T];
  }
  return left;
}

function write(world: World, dialect: DialectName, plants: readonly Plant[]): Case {
  const draft = new Draft();
  const phase = world.scene.step?.phase ?? null;
  if (phase !== null) draft.top["phase"] = phase;
  const planted = plants.map((plant) => ({ plant, where: plant.add(draft) }));
  const { text } = writeHandoff(draft.handoff(), dialect, { now: "2026-03-09T14:10:00Z", issue: "7" });
  return { world, dialect, text, planted };
}
