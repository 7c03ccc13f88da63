import type { JsonRecord } from "../../shared/json-value.ts";
import { HeardWork } from "../heard-work.ts";
import { amountOf, jsonLines, recordOf, textOf } from "../json-lines.ts";
import type { Listener } from "../run-client.ts";
import { sinceThen, writeSession } from "../session-token.ts";
import type { ClientSession } from "../session-token.ts";
import type { WatchedLines } from "../watched-lines.ts";
import { filesInCommand } from "./files-in-command.ts";

/** What has been heard so far. */
interface Heard {
  thread: string | null;
  lastMessage: string | null;
  tokenSum: number | null;
  isComplete: boolean;
  problem: string | null;
  readonly work: HeardWork;
}

/** Understands `codex exec --json`. It tells no money; its tokens count the whole thread. */
export function hearCodex(lines: WatchedLines, before: ClientSession | null, workspace: string): Listener {
  const work = new HeardWork(workspace);
  const heard: Heard = { thread: null, lastMessage: null, tokenSum: null, isComplete: false, problem: null, work };
  const spent = before?.tokens ?? 0;
  const stream = jsonLines(
    (record) => hearEvent(record, heard, lines, spent),
    (line) => lines.tell(line),
  );
  return {
    hear: (chunk) => stream.add(chunk),
    told(ended) {
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
        work: { ...work.told(), ...(before !== null && { input: null }) },
      };
    },
  };
}

function hearEvent(event: JsonRecord, heard: Heard, lines: WatchedLines, spent: number): void {
  switch (event["type"]) {
    case "thread.started":
      heard.thread = textOf(event["thread_id"]);
      break;
    case "item.completed":
      hearItem(recordOf(event["item"]), heard, lines);
      break;
    case "turn.completed":
      heard.isComplete = true;
      heard.problem = null;
      heard.tokenSum = countTokens(recordOf(event["usage"]));
      heard.work.input = amountOf(recordOf(event["usage"])["input_tokens"]);
      lines.usage(sinceThen(heard.tokenSum, spent), null);
      break;
    case "turn.failed":
      heard.problem = textOf(recordOf(event["error"])["message"]) ?? "the turn failed";
      break;
    case "error":
      // Told while it tries again, too: a turn that is completed after all takes it back.
      heard.problem = textOf(event["message"]) ?? "an error without words";
      lines.tell(heard.problem);
      break;
    default:
  }
}

function hearItem(item: JsonRecord, heard: Heard, lines: WatchedLines): void {
  const text = textOf(item["text"]) ?? textOf(item["message"]) ?? textOf(item["command"]);
  if (item["type"] === "agent_message") heard.lastMessage = text;
  hearWork(item, heard.work);
  // An item of the type "error" is a warning.
  if (item["type"] === "agent_message" || item["type"] === "error") lines.tellAll(text ?? "");
  else lines.tell(`[${textOf(item["type"]) ?? "item"}] ${text ?? ""}`);
}

/** Tokens are told of a whole turn: what was sent before the first change is not known. */
function hearWork(item: JsonRecord, work: HeardWork): void {
  if (item["type"] === "file_change" && item["status"] === "completed") work.did({ does: "change", paths: [] });
  if (item["type"] === "command_execution" && item["exit_code"] === 0)
    work.did({ does: "read", paths: filesInCommand(textOf(item["command"]) ?? "") });
}

/** Cached tokens are part of the input, and reasoning of the output. */
function countTokens(usage: JsonRecord): number | null {
  const input = amountOf(usage["input_tokens"]);
  const output = amountOf(usage["output_tokens"]);
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
}
