import { AppError } from "../shared/app-error.ts";
import { type Formats, NO_FORMATS } from "../protocol/dialects/registry.ts";
import { openDescription } from "../protocol/format-file/open-format.ts";
import type { Workflow } from "./definition.ts";

const opened = new WeakMap<object, Formats>();

/** The formats that a workflow is pinned to, ready for use. Most workflows have none, and then nothing is loaded. */
export function formatsOf({ name, formats }: Pick<Workflow, "name" | "formats">): Formats {
  if (formats === undefined) return NO_FORMATS;
  let dialects = opened.get(formats);
  if (dialects === undefined) {
    dialects = Object.entries(formats).map(([format, { description }]) => {
      const { dialect, problem } = openDescription(description);
      if (dialect !== null && dialect.name === format) return dialect;
      throw new AppError(
        "cannot-read",
        `The format ${format} of the workflow ${name} cannot be used: ${problem ?? "it has another name"}`,
        "Start a new run with a format file that `baton format check` accepts.",
      );
    });
    opened.set(formats, dialects);
  }
  return dialects;
}
