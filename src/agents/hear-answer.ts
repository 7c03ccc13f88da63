import { isRecord } from "../shared/json-value.ts";
import { LineSplitter } from "./process-group/line-splitter.ts";
import { OutputTail } from "./process-group/output-tail.ts";
import { NOTHING_TOLD } from "./report-end.ts";
import type { Told } from "./report-end.ts";
import type { Listener } from "./run-client.ts";
import type { WatchedLines } from "./watched-lines.ts";

const LONGEST_ANSWER = 4 << 20;
const LONGEST_LINE = 16_384;

/** For programs of our own, which answer on file descriptor 3 with `{ message }` or `{ problem }`. */
export function hearAnswer(lines: WatchedLines, who: string): Listener {
  const answer = new OutputTail(LONGEST_ANSWER);
  const splitter = new LineSplitter((line) => lines.tell(line), LONGEST_LINE);
  return {
    hear: (chunk, from) => (from === "answer" ? answer.add(chunk) : splitter.add(chunk)),
    told(ended) {
      splitter.end();
      const text = answer.text();
      if (text !== "") return readAnswer(text, who);
      // Whoever left with a bad exit code has said more about it on its error output than we know.
      return ended.exitCode === 0 ? { ...NOTHING_TOLD, problem: `${who} gave no answer` } : NOTHING_TOLD;
    },
  };
}

function readAnswer(text: string, who: string): Omit<Told, "lastError"> {
  const answer = parse(text);
  if (!isRecord(answer)) return { ...NOTHING_TOLD, problem: `${who} gave an answer that cannot be read` };
  const { message, problem, tokens, money } = answer;
  if (typeof problem === "string") return { ...NOTHING_TOLD, problem };
  if (typeof message !== "string") return { ...NOTHING_TOLD, problem: `${who} gave no message` };
  return { ...NOTHING_TOLD, lastMessage: message, tokens: amount(tokens), money: amount(money) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
