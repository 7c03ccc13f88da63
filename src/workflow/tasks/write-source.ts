import { type Written, impossible } from "./found-task.ts";
import type { TaskChange } from "./task-progress.ts";
import { writeBeads } from "./write-beads.ts";
import { writeSpecKit } from "./write-spec-kit.ts";
import { writeTaskFile } from "./write-task-file.ts";
import { writeTaskMaster } from "./write-task-master.ts";

/** A text with a task's progress in it, whatever its format. `at` is now, in ISO 8601. */
export function writeSource(text: string, { source, progress }: TaskChange, at: string): Written {
  switch (source.format) {
    case "task-file":
      return writeTaskFile(text, source.id, source.path.split("/").at(-1) ?? "", progress);
    case "task-master":
      return writeTaskMaster(text, source.id, source.tag ?? "master", progress);
    case "spec-kit":
      return writeSpecKit(text, source.id, progress);
    case "beads":
      return writeBeads(text, source.id, progress, at);
    default:
      return impossible("is of a format that this version does not know");
  }
}
