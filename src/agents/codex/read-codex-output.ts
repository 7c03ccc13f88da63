import type { JsonRecord } from "../../shared/json-value.ts";
import { WorkRecorder } from "../work-recorder.ts";
import type { Listener } from "../run-client.ts";
import { sinceThen, writeSession, type ClientSession } from "../session-token.ts";
import { type WatchedLines, amountOf, jsonLines, jsonRecord, jsonText } from "../watched-lines.ts";

/** What has been heard so far. */
interface Heard {
  thread: string | null;
  lastMessage: string | null;
  tokenSum: number | null;
  isComplete: boolean;
  problem: string | null;
  readonly work: WorkRecorder;
}

/** Understands `codex exec --json`. It tells no money; its tokens count the whole thread. */
export function readCodexOutput(lines: WatchedLines, before: ClientSession | null, workspace: string): Listener {
  const work = new WorkRecorder(workspace);
  const heard: Heard = { thread: null, lastMessage: null, tokenSum: null, isComplete: false, problem: null, work };
  const spent = before?.tokens ?? 0;
  const stream = jsonLines(
    (record) => hearEvent(record, heard, lines, spent),
    (line) => lines.tell(line),
  );
  return {
    hear: (chunk) => stream.add(chunk),
    report(ended) {
      stream.end();
      const isSilent = ended.exitCode === 0 && !heard.isComplete;
      return {
        lastMessage: heard.lastMessage,
        tokens: sinceThen(heard.tokenSum, spent),
        money: null,
        session:
          heard.thread === null ? null : writeSession({ id: heard.thread, tokens: heard.tokenSum ?? spent, money: 0 }),
        problem: heard.problem ?? (isSilent ? "codex ended without a completed turn" : null),
        // What a thread had sent before is not known: of one that goes on, only the sum of all tokens is told apart.
        work: { ...work.reported(), ...(before !== null && { input: null }) },
      };
    },
  };
}

function hearEvent(event: JsonRecord, heard: Heard, lines: WatchedLines, spent: number): void {
  switch (jsonText(event["type"]) ?? "") {
    case "thread.started":
      heard.thread = jsonText(event["thread_id"]);
      break;
    case "item.completed":
      hearItem(jsonRecord(event["item"]), heard, lines);
      break;
    case "turn.completed":
      heard.isComplete = true;
      heard.problem = null;
      heard.tokenSum = countTokens(jsonRecord(event["usage"]));
      heard.work.input = amountOf(jsonRecord(event["usage"])["input_tokens"]);
      lines.usage(sinceThen(heard.tokenSum, spent), null);
      break;
    case "turn.failed":
      heard.problem = jsonText(jsonRecord(event["error"])["message"]) ?? "the turn failed";
      break;
    case "error":
      // Told while it tries again, too: a turn that is completed after all takes it back.
      heard.problem = jsonText(event["message"]) ?? "an error without words";
      lines.tell(heard.problem);
      break;
  }
}

function hearItem(item: JsonRecord, heard: Heard, lines: WatchedLines): void {
  const text = jsonText(item["text"]) ?? jsonText(item["message"]) ?? jsonText(item["command"]);
  if (item["type"] === "agent_message") heard.lastMessage = text;
  hearWork(item, heard.work);
  // An item of the type "error" is a warning.
  if (item["type"] === "agent_message" || item["type"] === "error") lines.tellAll(text ?? "");
  else lines.tell(`[${jsonText(item["type"]) ?? "item"}] ${text ?? ""}`);
}

/** Tokens are told of a whole turn: what was sent before the first change is not known. */
function hearWork(item: JsonRecord, work: WorkRecorder): void {
  if (item["type"] === "file_change" && item["status"] === "completed") work.did({ does: "change", paths: [] });
  if (item["type"] === "command_execution" && item["exit_code"] === 0)
    work.did({ does: "read", paths: filesInCommand(jsonText(item["command"]) ?? "") });
}

/** Cached tokens are part of the input, and reasoning of the output. */
function countTokens(usage: JsonRecord): number | null {
  const input = amountOf(usage["input_tokens"]);
  const output = amountOf(usage["output_tokens"]);
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
}

/**
 * The files that a command of Codex prints, which is how it reads: `cat a`, `sed -n '1,9p' a`, `head -n 5 a | nl`. Only
 * plain commands are understood; of all others nothing is claimed.
 */
export function filesInCommand(text: string): string[] {
  const commands = text.length > LONGEST ? null : splitCommands(text);
  const [only] = commands ?? [];
  if (commands?.length === 1 && only !== undefined && isShell(only)) return filesOf(splitCommands(only[2] ?? ""));
  return filesOf(commands);
}

const LONGEST = 10_000;

/** `/bin/bash -lc '...'`. */
function isShell(words: readonly string[]): boolean {
  return words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-l?c$/.test(words[1] ?? "");
}

function filesOf(commands: readonly (readonly string[])[] | null): string[] {
  // After `cd` names mean something else.
  if (commands === null || commands.some(([name]) => name === "cd" || name === "pushd")) return [];
  return commands.flatMap(([name = "", ...words]) => READERS.get(name)?.(words) ?? []);
}

/** The files among the words of a command; none when an option is not known. */
type Reader = (words: readonly string[]) => string[];

const READERS: ReadonlyMap<string, Reader> = new Map([
  ["cat", (words) => operands(words, /^-[A-Za-z]+$/, null)],
  ["nl", (words) => operands(words, /^-[a-z]+$/, null)],
  ["head", (words) => operands(words, /^-(?:\d+|[nc]\d+|q|v)$/, /^-[nc]$/)],
  ["tail", (words) => operands(words, /^-(?:\d+|[nc]\+?\d+|q|v)$/, /^-[nc]$/)],
  // The first operand is the script; `-i` would write.
  ["sed", (words) => (words.includes("-n") ? operands(words, /^-[nErs]+$/, null).slice(1) : [])],
]);

function operands(words: readonly string[], lone: RegExp, withValue: RegExp | null): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) found.push(word);
    else if (withValue?.test(word) === true) at += 1;
    else if (!lone.test(word)) return [];
  }
  return found;
}

/** Words of each command between `&&` and `|`; null where the shell would do more than split them. */
function splitCommands(text: string): string[][] | null {
  const commands: string[][] = [[]];
  const word = /\s*(?:(&&|\|)(?![|&])|((?:[^\s'"\\&|;<>()$`*?[\]{}#~!\n]|\\[^\n]|'[^']*'|"(?:[^"\\$`]|\\.)*")+))/gy;
  let end = 0;
  const trimmed = text.trim();
  while (end < trimmed.length) {
    word.lastIndex = end;
    const found = word.exec(trimmed);
    if (found === null) return null;
    end = word.lastIndex;
    if (found[1] === undefined) commands.at(-1)?.push(unquoted(found[2] ?? ""));
    else commands.push([]);
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_all, single, double, escaped) => {
    if (typeof single === "string") return single;
    return typeof double === "string" ? double.replaceAll(/\\(["\\$`])/g, "$1") : String(escaped);
  });
}
