import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Turn } from "./read-play.ts";
import { type Speaker, mendedFile, writeHandoff } from "./write-handoff.ts";

/** What the scripts of a play read: who speaks which dialect, and the turns. */
export interface PlayFile {
  readonly agents: Readonly<Record<string, { readonly dialect: string; readonly phase: string | null }>>;
  readonly turns: readonly Turn[];
  /** Where the kit of the issue example is, for agents that open issues and pull requests. */
  readonly issueKit: string | null;
}

/** One line for each start of an agent. */
export interface Started {
  readonly task: string;
  readonly agent: string;
  readonly iteration: number;
  readonly reason: string;
  readonly unseen: readonly string[];
}

/** An agent of a play: does what its next turn says; after its last one it behaves as it did then. */
export async function playTurn(folder: string): Promise<void> {
  const play = JSON.parse(readFileSync(join(folder, "play.json"), "utf8")) as PlayFile;
  const {
    BATON_AGENT: agent = "",
    BATON_TASK: task = "",
    BATON_ITERATION: iteration,
    BATON_REASON: reason,
  } = process.env;
  const speaker = play.agents[agent] ?? { dialect: "none", phase: null };
  const kit = play.issueKit === null ? null : ((await import(play.issueKit)) as Speaker["kit"]);
  const prompt = kit === null ? readFileSync(0, "utf8") : kit.prompt;
  const turn = turnOf(play, join(folder, "started.jsonl"), agent, task);
  const unseen = turn.extras.filter(({ kind, value }) => kind === "sees" && !prompt.includes(value));
  const line: Started = {
    task,
    agent,
    iteration: Number(iteration),
    reason: reason ?? "",
    unseen: unseen.map(({ value }) => value),
  };
  appendFileSync(join(folder, "started.jsonl"), `${JSON.stringify(line)}\n`);
  writeFileSync(join(folder, `prompt-${startedSoFar(folder).length}-${agent}.txt`), prompt);
  work(turn);
  if (turn.word === "crash") process.exit(7);
  if (turn.word === "silent") console.log("All done.");
  else writeHandoff(turn, { me: agent, task, round: Number(iteration), ...speaker, kit });
}

export function startedSoFar(folder: string): Started[] {
  const file = join(folder, "started.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Started);
}

function turnOf(play: PlayFile, log: string, agent: string, task: string): Turn {
  const isMine = (turn: Turn): boolean => turn.agent === agent && (turn.task === null || isTask(turn.task, task));
  const mine = play.turns.filter(isMine);
  const before = startedSoFar(dirname(log)).filter((line) => line.agent === agent && line.task === task).length;
  return mine[before] ?? mine.at(-1) ?? { ...NOTHING_WRITTEN, agent };
}

/** An agent that was not expected at all passes the work on, so that a run which should stop is seen to go on. */
const NOTHING_WRITTEN: Turn = {
  task: null,
  agent: "",
  word: "done",
  argument: "",
  text: "",
  repeats: false,
  extras: [],
  next: null,
};

/** Tables write `3` for `task-3`. */
export function isTask(written: string, task: string): boolean {
  return task === written || task === `task-${written}`;
}

function work({ extras }: Turn): void {
  for (const { kind, value } of extras) {
    if (kind === "runs") spawnSync("sh", ["-c", value], { stdio: "ignore" });
    if (kind === "makes" || kind === "hides" || kind === "leaves") {
      mkdirSync(dirname(value), { recursive: true });
      writeFileSync(value, `// ${value}\n`);
    }
    // Whoever says that something is mended has changed a file.
    if (kind === "resolves") {
      mkdirSync("mended", { recursive: true });
      appendFileSync(mendedFile(value), "mended\n");
    }
    if (kind === "commits") {
      spawnSync("git", ["add", value], { stdio: "ignore" });
      spawnSync("git", ["commit", "--quiet", "--message", `Add ${value}`], { stdio: "ignore" });
    }
  }
}
