import { DEFAULT_LIMITS } from "../../protocol/limits.ts";
import { jsonProblems } from "../../protocol/syntax/json-problems.ts";
import { LineTable } from "../../shared/line-table.ts";
import { broken } from "./found-task.ts";

/** The value of a JSON text; what keeps it from being one is told with its place. */
export function parseDocument(text: string, path: string): unknown {
  const plain = withoutMark(text);
  try {
    return JSON.parse(plain);
  } catch {
    const [problem] = plain.length > MOST_EXPLAINED ? [] : jsonProblems(plain, DEFAULT_LIMITS);
    const { line, column } = new LineTable(plain).position(problem?.span.start ?? 0);
    const why =
      problem === undefined ? "is not JSON." : `is not JSON, in line ${line}, column ${column}: ${problem.message}`;
    throw broken(path, why, "Repair the file, or name another.");
  }
}

const MOST_EXPLAINED = 1_048_576;

/** Without the byte order mark that some editors begin a file with. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
