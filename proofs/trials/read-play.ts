/** What an agent does in one of its turns, or a person's answer, as the tables and the workflow files write it. */
export interface Turn {
  /** The task, where a run has several. */
  readonly task: string | null;
  /** `person` for an answer. */
  readonly agent: string;
  /** The outcome, `crash` or `silent`; for a person the choice. */
  readonly word: string;
  /** What follows the word: a reason, a kind of error, an agent. */
  readonly argument: string;
  /** The words of a person. */
  readonly text: string;
  /** Once or more often. */
  readonly repeats: boolean;
  readonly extras: readonly Extra[];
  /** The agent of the turn that is expected after this one; null when none is. */
  readonly next: string | null;
}

interface Extra {
  readonly kind: string;
  readonly value: string;
}

/** `B: done, issue A/high; T: done`, with short names of agents. */
export function readPlay(text: string, names: Readonly<Record<string, string>> = {}): Turn[] {
  const lines = text
    .split(/;|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const turns = lines.map((line) => readTurn(line, names));
  return turns.map((turn, index) => ({ ...turn, next: nextAgent(turn, turns.slice(index + 1)) }));
}

function nextAgent({ agent, task }: Turn, following: readonly Turn[]): string | null {
  const isNext = (turn: Turn): boolean => turn.agent !== "person" && turn.agent !== agent && turn.task === task;
  return following.find(isNext)?.agent ?? null;
}

const TURN = /^(?:(?<task>[\w.-]+)\/)?(?<agent>[\w.-]+): (?<word>[\w-]+)(?<plus>\+?)(?: (?<rest>[^,"]+))?(?<tail>.*)$/;

function readTurn(line: string, names: Readonly<Record<string, string>>): Turn {
  const found = TURN.exec(line)?.groups;
  if (found === undefined) throw new Error(`no turn: ${line}`);
  const long = (name: string): string => names[name] ?? name;
  const isPerson = found["agent"] === "person";
  const tail = found["tail"] ?? "";
  return {
    task: found["task"] ?? null,
    agent: long(found["agent"] ?? ""),
    word: found["word"] ?? "",
    argument: long((found["rest"] ?? "").trim()),
    text: isPerson ? (/"(.*)"/.exec(tail)?.[1] ?? "") : "",
    repeats: found["plus"] === "+",
    extras: isPerson ? [] : extrasOf(tail, long),
    next: null,
  };
}

function extrasOf(tail: string, long: (name: string) => string): Extra[] {
  const parts = tail.match(/(?:[^,"]|"[^"]*")+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [kind = "", ...rest] = part.split(" ");
      return { kind, value: long(rest.join(" ").replaceAll('"', "")) };
    });
}

export const all = (turn: Turn, kind: string): string[] =>
  turn.extras.filter((extra) => extra.kind === kind).map(({ value }) => value);
export const one = (turn: Turn, kind: string): string | null => all(turn, kind)[0] ?? null;

/** `T1/high@src/a.mjs:5`: the place and the severity may be left out. */
export function issueOf(written: string): { id: string; severity: string; location: string } {
  const [head = "", place] = written.split("@");
  const [id = "", severity = "high"] = head.split("/");
  return { id, severity, location: place ?? `src/${id}.mjs:1` };
}
