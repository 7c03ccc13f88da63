import type { RouteName } from "../../api/routes.ts";
import type { Handler } from "../asked.ts";
import { exportLog, listAuditEntries, showMetrics, verifyLog } from "./figures.ts";
import { convertHandoff, showAttemptTexts, showOneHandoff } from "./handoffs.ts";
import { changeFact, drawFact, searchFacts, showOneFact } from "./knowledge.ts";
import { followEvents } from "./live.ts";
import { about, describeApi, listRunEvents, listRuns, showOneRun } from "./runs.ts";
import { submit } from "./submit.ts";
import { answer, cancel, inbox, resume, retry } from "./tell.ts";

/** One for every route of the table. */
export const HANDLERS: { readonly [N in RouteName]: Handler<N> } = {
  about,
  "list-runs": listRuns,
  "show-run": showOneRun,
  "list-events": listRunEvents,
  "show-attempt": showAttemptTexts,
  "show-handoff": showOneHandoff,
  "convert-handoff": convertHandoff,
  "submit-handoff": submit,
  "answer-ask": answer,
  "cancel-run": cancel,
  "retry-run": retry,
  "resume-run": resume,
  "show-inbox": inbox,
  "search-facts": searchFacts,
  "show-fact": showOneFact,
  "draw-fact": drawFact,
  "change-fact": changeFact,
  "show-metrics": showMetrics,
  "list-audit": listAuditEntries,
  "verify-audit": verifyLog,
  "export-audit": exportLog,
  "follow-events": followEvents,
  "describe-api": describeApi,
};
