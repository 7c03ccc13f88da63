import { readFileSync } from "node:fs";
import { join } from "node:path";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";
import { compareRun, type Expected } from "./compare-run.ts";
import { drivePlay } from "./drive-play.ts";
import { readPlay } from "./read-play.ts";

/** One row of a table: a run, and what it has to decide. */
export interface Trial {
  readonly id: string;
  readonly workflow: keyof typeof READY_WORKFLOWS;
  readonly behaviour: string;
  readonly options: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly expected: Expected;
}

export const TABLES = ["pipeline", "issue", "collective", "tasks", "feature"] as const;

export function readTrials(workflow: (typeof TABLES)[number]): Trial[] {
  const text = readFileSync(join(import.meta.dirname, `${workflow}.md`), "utf8");
  const rows = text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
  const [keys = [], ...cells] = rows;
  const names = shortNames(text, Object.keys(agentsOf(workflow)));
  return cells.map((row) => {
    const cell = (key: string): string => row[keys.indexOf(key)] ?? "";
    const list = (key: string, divider: RegExp): string[] =>
      cell(key)
        .split(divider)
        .filter((part) => part !== "");
    return {
      id: cell("id"),
      workflow,
      behaviour: cell("behaviour"),
      options: [...list("options", / /), ...(workflow === "tasks" ? ["--tasks", "tasks/*.md"] : [])],
      files: Object.fromEntries(list("files", /; */).map(taskFile)),
      expected: {
        end: cell("end"),
        exit: Number(cell("exit")),
        rounds: Number(cell("rounds")),
        last: list("last", / or /).map((name) => names[name] ?? name),
        question: list("question", / or /),
        log: cell("log"),
        stands: list("stands", /, */),
        turns: readPlay(cell("steps"), names),
      },
    };
  });
}

function agentsOf(workflow: (typeof TABLES)[number]): Record<string, unknown> {
  const names = [...READY_WORKFLOWS[workflow].text.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => [name, null]);
  return Object.fromEntries(names) as Record<string, unknown>;
}

/** `B = BackendBuilder, T = TestAgent` in the text above the table. */
function shortNames(text: string, agents: readonly string[]): Record<string, string> {
  const written = [...text.matchAll(/\b([A-Z]+) = ([\w-]+)/g)].map(
    ([, short = "", long = ""]) => [short, long] as const,
  );
  const builtin = [
    ["V", "validator-agent"],
    ["C", "closer-agent"],
  ].filter(([, name]) => agents.includes(name ?? ""));
  const frontend = [
    ["FL", "frontend-lead"],
    ["FD", "frontend-developer"],
    ["FT", "frontend-tester"],
  ];
  return Object.fromEntries([...frontend, ...builtin, ...written]) as Record<string, string>;
}

/** `3<1,2!high=blocked`: task-3 waits for two, has a priority and a status. */
function taskFile(written: string): [string, string] {
  const id = /^\d+/.exec(written)?.[0] ?? "";
  const waits =
    /<([\d,]+)/
      .exec(written)?.[1]
      ?.split(",")
      .map((one) => `task-${one}`)
      .join(", ") ?? "none";
  const priority = /!(\w+)/.exec(written)?.[1] ?? "medium";
  const status = /=(\w+)/.exec(written)?.[1] ?? "pending";
  const table = `| Field | Value |\n|---|---|\n| Priority | ${priority} |\n| Status | ${status} |\n| Depends On | ${waits} |\n`;
  return [`tasks/task-${id}.md`, `# Task task-${id}: Part ${id}\n\n${table}\n**Description**: Make part ${id}.\n`];
}

export async function runTrial({ workflow, options, files, expected }: Trial, keep = false): Promise<Outcome> {
  const play = { workflow: READY_WORKFLOWS[workflow].text, ready: workflow, turns: expected.turns, options, files };
  const seen = await drivePlay(play, { keep, replay: true });
  return { wrong: compareRun(expected, seen), seen };
}

interface Outcome {
  readonly wrong: readonly string[];
  readonly seen: Awaited<ReturnType<typeof drivePlay>>;
}
