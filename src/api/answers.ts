import { judgementShape } from "../evidence/claim.ts";
import { factShape } from "../knowledge/fact.ts";
import { diagnosticShape } from "../protocol/diagnostic.ts";
import { canonicalShape } from "../protocol/handoff.ts";
import { canonicalSchema, shapeSchema } from "../protocol/json-schema.ts";
import { type Infer, type RecordShape, type Shape, data } from "../protocol/shape.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import { auditListShape, auditReportShape } from "../views/audit-report.ts";
import { eventItemShape, eventListShape } from "../views/event-line.ts";
import { factGraphShape, factListShape, factPageShape } from "../views/fact-page.ts";
import {
  attemptTextsShape,
  convertedHandoffShape,
  handoffPageShape,
  submittedHandoffShape,
} from "../views/handoff-page.ts";
import { hookStatusShape } from "../views/hook-notices.ts";
import { inboxShape, notificationShape } from "../views/inbox.ts";
import { measuresShape, metricsShape, spreadShape } from "../views/metrics.ts";
import { roundShape } from "../views/rounds.ts";
import { runGraphShape } from "../views/run-graph.ts";
import { runItemShape, runListShape } from "../views/run-item.ts";
import { scheduleListShape } from "../views/schedule-item.ts";
import { askViewShape, runPageShape, shownViewShape } from "../views/run-page.ts";
import { stepItemShape } from "../views/step-items.ts";
import { takeoverShape } from "../views/takeovers.ts";
import { ledgerIssueShape } from "../workflow/state.ts";

// What the page takes from here: it knows of nothing else in `src`.
export type { Judgement } from "../evidence/claim.ts";
export type { Citation, FactKind, FactStatus } from "../knowledge/fact.ts";
export type { FactStanding, Freshness } from "../knowledge/freshness.ts";
export type { Diagnostic, Severity } from "../protocol/diagnostic.ts";
export type { BuiltinDialect } from "../protocol/handoff.ts";
export type { AuditFinding, AuditList, AuditReport } from "../views/audit-report.ts";
export type { EventItem, EventList, Tone } from "../views/event-line.ts";
export type { FactGraph, FactItem, FactList, FactPage } from "../views/fact-page.ts";
export type { AttemptTexts, ConvertedHandoff, HandoffPage } from "../views/handoff-page.ts";
export type { HookStatus } from "../views/hook-notices.ts";
export type { Inbox, InboxItem } from "../views/inbox.ts";
export type {
  AgentMeasures,
  Completion,
  CoveragePoint,
  Figure,
  Metrics,
  Spent,
  Spread,
  WorkflowMeasures,
} from "../views/metrics.ts";
export type { OtherAgent, SessionUsageView } from "../views/observed-run.ts";
export type { Round } from "../views/rounds.ts";
export type { GraphEdge, RunGraph, RunGraphNode as GraphNode } from "../views/run-graph.ts";
export type { RunItem, RunList, RunStatusWord } from "../views/run-item.ts";
export type { AskView, BudgetUse, RunPage, Used } from "../views/run-page.ts";
export type { ScheduleItem, ScheduleList } from "../views/schedule-item.ts";
export type { AttemptItem, GateItem, StepItem } from "../views/step-items.ts";
export type ErrorAnswer = AnswerOf<"ErrorAnswer">;

/**
 * Everything the routes answer with, by the name it has in the OpenAPI description. Times are milliseconds since 1970;
 * null is not known, which is not zero.
 */
const ANSWERS = {
  About: data.record({ version: data.text(), root: data.text(), started_at: data.count(), demo: data.boolean() }),
  HookStatus: hookStatusShape,
  ScheduleList: scheduleListShape,
  RunItem: runItemShape,
  RunList: runListShape,
  RunPage: runPageShape,
  RunView: shownViewShape,
  Takeover: takeoverShape,
  Ask: askViewShape,
  LedgerIssue: ledgerIssueShape,
  RunGraph: runGraphShape,
  StepItem: stepItemShape,
  Round: roundShape,
  EventItem: eventItemShape,
  EventList: eventListShape,
  Inbox: inboxShape,
  Told: data.record({ told: data.boolean() }),
  AttemptTexts: attemptTextsShape,
  Handoff: canonicalShape,
  Diagnostic: diagnosticShape,
  Judgement: judgementShape,
  HandoffPage: handoffPageShape,
  ConvertedHandoff: convertedHandoffShape,
  SubmittedHandoff: submittedHandoffShape,
  Fact: factShape,
  FactList: factListShape,
  FactPage: factPageShape,
  FactGraph: factGraphShape,
  Spread: spreadShape,
  Measures: measuresShape,
  Metrics: metricsShape,
  AuditList: auditListShape,
  AuditReport: auditReportShape,
  AuditLine: data.anything(),
  OpenApi: { kind: "map", values: { kind: "anything" } } as Shape<JsonRecord>,
  Changed: data.record({ runs: data.list(data.text()) }),
  Webhook: notificationShape,
  /** Every error, whatever its status. */
  ErrorAnswer: data.record({
    error: data.record({ code: data.text(), message: data.text(), hint: data.text() }),
    diagnostics: data.optional(data.list(diagnosticShape)),
  }),
} as const satisfies Readonly<Record<string, Shape>>;

export type AnswerName = keyof typeof ANSWERS;
/** The type of an answer. */
export type AnswerOf<N extends AnswerName> = Infer<(typeof ANSWERS)[N]>;

const NAMES = new Map<Shape, string>(Object.entries(ANSWERS).map(([name, shape]) => [shape, name]));

/** The JSON Schema of every answer. An answer inside another one is referred to by its name. */
export const ANSWER_SCHEMAS: Readonly<Record<AnswerName, JsonRecord>> = {
  ...(Object.fromEntries(Object.entries(ANSWERS).map(([name, shape]) => [name, answerSchema(shape)])) as Record<
    AnswerName,
    JsonRecord
  >),
  Handoff: handoffSchema(),
  OpenApi: { type: "object", required: ["openapi", "info", "paths"], additionalProperties: true },
};

function answerSchema(answer: Shape): JsonRecord {
  return shapeSchema(answer, {
    record: closedSchema,
    named: (shape) => (shape === answer ? null : namedSchema(shape)),
  });
}

function namedSchema(shape: Shape): JsonRecord | null {
  const name = NAMES.get(shape);
  return name === undefined ? null : answerReference(name as AnswerName);
}

/** An answer has the keys it is said to have, and no others. */
function closedSchema({ fields }: RecordShape): JsonRecord {
  const style = { record: closedSchema, named: namedSchema };
  const entries = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([key, field]) => [key, shapeSchema(field.shape, style)])),
    required: entries.filter(([, field]) => field.required).map(([key]) => key),
    additionalProperties: false,
  };
}

function handoffSchema(): JsonRecord {
  const { $schema: _schema, $id: _id, ...schema } = canonicalSchema();
  return schema;
}

export function answerReference(name: AnswerName): JsonRecord {
  return { $ref: `#/components/schemas/${name}` };
}
