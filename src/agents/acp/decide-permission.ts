import { isRecord } from "../../shared/json-value.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { listOf, recordOf, textOf } from "../json-lines.ts";
import { isInWorkspace } from "./workspace-files.ts";

export interface PermissionPolicy {
  /** Files of the workspace alone, all that is asked for, or nothing. */
  readonly scope: "workspace" | "all" | "none";
  /** Kinds of tool calls that are allowed besides, `execute` or `fetch`. */
  readonly kinds: readonly string[];
}

/** What names its files and does nothing else with the machine. */
const FILE_KINDS = ["edit", "delete", "move"];
const HARMLESS_KINDS = ["think"];
const READING_KINDS = ["read", "search"];

/** Answers `session/request_permission`. Never for good: each request is judged by itself. */
export async function decidePermission(
  policy: PermissionPolicy,
  workspace: string,
  parameters: JsonRecord,
): Promise<JsonRecord> {
  const isAllowed = await mayDo(policy, workspace, recordOf(parameters["toolCall"]));
  const wanted = isAllowed ? "allow_once" : "reject_once";
  const option = listOf(parameters["options"])
    .filter(isRecord)
    .find((offered) => offered["kind"] === wanted);
  const optionId = textOf(option?.["optionId"]);
  // Without a way to say it for this once, not answering is the only safe answer.
  return optionId === null ? { outcome: { outcome: "cancelled" } } : { outcome: { outcome: "selected", optionId } };
}

async function mayDo(policy: PermissionPolicy, workspace: string, call: JsonRecord): Promise<boolean> {
  if (policy.scope === "none") return false;
  if (policy.scope === "all") return true;
  const kind = textOf(call["kind"]) ?? "other";
  if (policy.kinds.includes(kind) || HARMLESS_KINDS.includes(kind)) return true;
  const paths = pathsOf(call);
  if (!FILE_KINDS.includes(kind) && !READING_KINDS.includes(kind)) return false;
  // A change of files that are not named could be a change of any file.
  if (paths.length === 0) return false;
  const inside = await Promise.all(paths.map((path) => isInWorkspace(workspace, path)));
  return inside.every(Boolean);
}

function pathsOf(call: JsonRecord): string[] {
  const named = [...listOf(call["locations"]), ...listOf(call["content"])].filter(isRecord);
  return named.map((place) => textOf(place["path"])).filter((path) => path !== null);
}
