import { type Progress, SAME, type Written, impossible, vanished } from "./found-task.ts";
import { taskLines } from "./spec-kit-lines.ts";

/** The mark between the brackets. A list of ticks has a word for done and one for everything else. */
export function writeSpecKit(text: string, id: string, progress: Progress): Written {
  const [line, twin] = taskLines(text).filter((task) => task.id === id);
  if (line === undefined) return vanished(id);
  if (twin !== undefined) return impossible(`has the task ${id} twice now, in lines ${line.line} and ${twin.line}`);
  if (line.isDone === (progress === "done")) return SAME;
  const mark = progress === "done" ? "X" : " ";
  return { kind: "changed", text: text.slice(0, line.markAt) + mark + text.slice(line.markAt + 1) };
}
