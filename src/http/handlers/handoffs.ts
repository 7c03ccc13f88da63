import type { DialectName } from "../../protocol/handoff.ts";
import { showAttempt } from "../../runtime/operations/show-attempt.ts";
import { convertStored, showHandoff } from "../../runtime/operations/show-handoff.ts";
import { type Handler, pathValue } from "../asked.ts";

export const showAttemptTexts: Handler<"show-attempt"> = async (asked) =>
  showAttempt(asked.around.engine.machine, pathValue(asked, "run"), pathValue(asked, "attempt"));

export const showOneHandoff: Handler<"show-handoff"> = async (asked) =>
  showHandoff(asked.around.engine.machine, pathValue(asked, "run"), pathValue(asked, "attempt"));

export const convertHandoff: Handler<"convert-handoff"> = async (asked) => {
  const dialect = pathValue(asked, "dialect") as DialectName;
  return convertStored(asked.around.engine.machine, pathValue(asked, "run"), pathValue(asked, "attempt"), dialect);
};
