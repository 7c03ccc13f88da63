import { remarkCounts } from "../runtime/operations/list-runs.ts";
import type { RunView } from "../runtime/operations/view-run.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { usage } from "./parse-arguments.ts";
import type { JsonRecord } from "../shared/json-value.ts";

const KINDS = [
  "open",
  "waived",
  "refuted",
  "unknown",
  "unproven",
  "undeclared",
  "unchecked",
] as const satisfies readonly Kind[];
type Kind = RunView["remarks"][number]["kind"];

/** Of the commands that drive a run to its end, or tell how it ended. */
export const FAIL_ON_OPTION = {
  "fail-on": {
    value: "KINDS",
    about: `What makes a completed run end with 1: any of ${KINDS.join(",")}, or none (default: open,unchecked).`,
  },
} as const satisfies Readonly<Record<string, Option>>;

/** Blocking issues that are open, and that no person waived, are never passed over in silence; nor is a session in which something was not checked. */
const DEFAULT: readonly Kind[] = ["open", "unchecked"];

export function failOn(command: Pick<Command, "name">, invocation: Pick<Invocation, "text">): readonly Kind[] {
  const given = invocation.text("fail-on");
  if (given === undefined) return DEFAULT;
  const words = given.split(",").map((word) => word.trim());
  if (words.length === 1 && words[0] === "none") return [];
  const wrong = words.find((word) => !KINDS.some((kind) => kind === word));
  if (wrong !== undefined)
    throw usage(
      command,
      `--fail-on takes ${KINDS.join(", ")} or none; found "${wrong}".`,
      "Separate several by commas.",
    );
  return KINDS.filter((kind) => words.includes(kind));
}

/** The same from the row of a run in a list. */
export function rowCode({ status, summary }: { readonly status: string; readonly summary: JsonRecord }): number {
  const remarks = remarkCounts(summary);
  return status === "completed" && DEFAULT.every((kind) => remarks[kind] === 0) ? EXIT.fine : EXIT.findings;
}

/** The exit code of a run: of one that has completed, the kinds of remarks in `kinds` decide. */
export function endCode(
  { status, remarks }: Pick<RunView, "status" | "remarks">,
  kinds: readonly Kind[] = DEFAULT,
): number {
  const isFine = status === "completed" && !remarks.some(({ kind }) => kinds.includes(kind));
  return isFine ? EXIT.fine : EXIT.findings;
}
