import type { LineCount, NeededObservations, Observations } from "../evidence/observations.ts";
import type { Base } from "../ports/repository.ts";
import { emptyTree } from "./choose-base.ts";
import { targetAmong } from "./observe-commits.ts";
import type { Shadow } from "./shadow.ts";

/** Lines that changed between the base and `tree`, the state of now, and in what else may be meant by a number of them. */
export async function observeLines(
  shadow: Shadow,
  base: Base,
  tree: string,
  { startedAt }: NeededObservations,
): Promise<NonNullable<Observations["lines"]>> {
  const { head } = shadow.place;
  const fork = await forkOf(shadow);
  const others = await Promise.all([
    total(shadow, ["diff", "--find-renames", base.tree, tree]),
    ...(fork === null ? [] : [total(shadow, ["diff", fork, tree])]),
    ...(head === null ? [] : [total(shadow, ["diff", head, tree])]),
    ...(head === null || base.commit === null || !/^[0-9a-f]{40,64}$/.test(base.commit)
      ? []
      : [total(shadow, ["log", ...EVERY, `${base.commit}..${head}`])]),
    ...(head === null || startedAt === undefined ? [] : [total(shadow, ["log", ...EVERY, since(startedAt), head])]),
  ]);
  return { files: await byFile(shadow, base.tree, tree), others, all: await linesInAll(shadow, tree) };
}

const EVERY = ["--format=", "--max-count=1000", "--no-merges"];

/** The clocks of commits have whole seconds. */
function since(startedAt: number): string {
  return `--since=@${Math.floor(startedAt / 1000) - 60}`;
}

const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short"];

/** What cannot be counted, such as a commit that is gone, is no reading. */
async function total(shadow: Shadow, [command = "", ...args]: readonly string[]): Promise<LineCount> {
  const { output } = await shadow.git({ args: [command, "--shortstat", ...PLAIN, ...args, "--"] });
  return {
    added: sum(output.matchAll(/(\d+) insertions?\(/g)),
    removed: sum(output.matchAll(/(\d+) deletions?\(/g)),
  };
}

function sum(found: Iterable<RegExpExecArray>): number {
  return [...found].reduce((all, [, count]) => all + Number(count), 0);
}

async function byFile(shadow: Shadow, from: string, to: string): Promise<Map<string, LineCount>> {
  const output = await shadow.answer({ args: ["diff", "--numstat", "-z", "--no-renames", ...PLAIN, from, to, "--"] });
  const counts = output.split("\0").flatMap((entry) => {
    const [, added, removed, path] = /^(\d+)\t(\d+)\t(.*)$/s.exec(entry) ?? [];
    return path === undefined ? [] : [[path, { added: Number(added), removed: Number(removed) }] as const];
  });
  return new Map(counts);
}

/** Where the branch left its target; null when it has none. */
async function forkOf(shadow: Shadow): Promise<string | null> {
  const { head } = shadow.place;
  const tips = targetAmong(await shadow.place.branches())?.commits ?? [];
  if (head === null || tips.length === 0) return null;
  const { code, output } = await shadow.git({ args: ["merge-base", "--end-of-options", head, ...tips] });
  return code === 0 ? output.trim() : null;
}

const MAX_FILES = 2_000;

/** The lines of all files; null for a large project, where counting them takes too long. */
async function linesInAll(shadow: Shadow, tree: string): Promise<number | null> {
  const names = await shadow.answer({ args: ["ls-tree", "-r", "--name-only", "-z", tree] });
  if (names.split("\0").length > MAX_FILES) return null;
  return (await total(shadow, ["diff", emptyTree(shadow.place), tree])).added;
}

export async function countCommits(
  shadow: Shadow,
  { commitTotals }: NeededObservations,
): Promise<Pick<Observations, "commitCounts">> {
  const { head } = shadow.place;
  if (head === null || commitTotals !== true) return {};
  const { refs } = await shadow.place.branches();
  const fork = await forkOf(shadow);
  const count = async (...tips: readonly string[]): Promise<number> => {
    const { code, output } = await shadow.git({
      args: ["rev-list", "--count", "--stdin"],
      input: `${tips.join("\n")}\n`,
    });
    return code === 0 ? Number(output.trim()) : 0;
  };
  const [inHead, inAll, sinceTarget] = await Promise.all([
    count(head),
    count(head, ...refs.values()),
    fork === null ? null : count(head, `^${fork}`),
  ]);
  return { commitCounts: { inHead, inAll: Math.max(inAll, inHead), sinceTarget } };
}
