import { FACT_KINDS, FACT_STATUSES } from "../knowledge/fact.ts";
import { RUN_STATUS_WORDS } from "../views/run-item.ts";
import type { AnswerName } from "./answers.ts";
import { type ApiRoute, bodyText, parameter } from "./route.ts";

const json = <const N extends AnswerName>(schema: N, status: 200 | 202 = 200) =>
  ({ status, type: "application/json", schema }) as const;

const REASON = bodyText.optional("Why; stored in the log.", 4_000);
const LOOK = { method: "GET", body: null, token: "server", errors: [] } as const;
const TELL = { method: "POST", query: {}, token: "server", errors: [409, 413, 415] } as const;
const TIME = {
  since: parameter.whole("From then on, in milliseconds since 1970."),
  until: parameter.whole("Before then, in milliseconds since 1970."),
};

/** By what runs are looked for. */
export const RUN_QUERY = {
  status: parameter.words("Where they stand, any of these, with commas.", RUN_STATUS_WORDS),
  text: parameter.text("Words that stand in the id, the workflow's name or the brief."),
  workflow: parameter.text("Name of the workflow."),
  ...TIME,
  stalled_after: parameter.whole("Milliseconds without an event after which a run counts as stalled."),
  cursor: parameter.text("`next` of the page before.", 64),
  limit: parameter.count("Most runs on the page.", { minimum: 1, maximum: 200, default: 50 }),
};

/** By what facts are looked for. */
export const FACT_QUERY = {
  text: parameter.text("Words in any order."),
  tag: parameter.text("A tag."),
  type: parameter.word("A kind of fact.", FACT_KINDS),
  file: parameter.text("A file that it names.", 500),
  task: parameter.text("The task that said it."),
  status: parameter.word("Its status; retired ones are found only so.", FACT_STATUSES),
  since: TIME.since,
  limit: parameter.count("Most facts.", { minimum: 1, maximum: 200, default: 50 }),
};

/** Every route of the server. */
export const ROUTES = [
  {
    ...LOOK,
    name: "about",
    path: "/api/about",
    summary: "Which server this is.",
    query: {},
    answer: json("About"),
  },
  {
    ...LOOK,
    name: "show-hooks",
    path: "/api/hooks",
    summary: "Which hooks of clients were heard of, and what keeps handoffs of sessions from being checked.",
    query: {},
    answer: json("HookStatus"),
  },
  {
    ...LOOK,
    name: "list-schedules",
    path: "/api/schedules",
    summary:
      "When runs are started by schedules, what became of their last times, and what keeps them from starting any.",
    query: {},
    answer: json("ScheduleList"),
  },
  {
    ...LOOK,
    name: "list-runs",
    path: "/api/runs",
    summary: "A page of runs, the youngest first, and how many there are of each status.",
    query: RUN_QUERY,
    answer: json("RunList"),
  },
  {
    ...LOOK,
    name: "show-run",
    path: "/api/runs/:run",
    summary: "One run: where it stands, its graph, steps, rounds and budget.",
    query: {},
    answer: json("RunPage"),
  },
  {
    ...LOOK,
    name: "list-events",
    path: "/api/runs/:run/events",
    summary: "Events of a run after a sequence number.",
    query: {
      after: parameter.count("Sequence number.", { default: 0 }),
      limit: parameter.count("Most events on the page.", { minimum: 1, maximum: 1_000, default: 200 }),
    },
    answer: json("EventList"),
  },
  {
    ...LOOK,
    name: "show-attempt",
    path: "/api/runs/:run/attempts/:attempt",
    summary: "What an attempt was given and what it said.",
    query: {},
    answer: json("AttemptTexts"),
  },
  {
    ...LOOK,
    name: "show-handoff",
    path: "/api/runs/:run/handoffs/:attempt",
    summary: "The handoff of an attempt: as written, read, judged and compared.",
    query: {},
    answer: json("HandoffPage"),
  },
  {
    ...LOOK,
    name: "convert-handoff",
    path: "/api/runs/:run/handoffs/:attempt/as/:dialect",
    summary: "The same handoff in another dialect, with everything that is lost on the way.",
    query: {},
    answer: json("ConvertedHandoff"),
  },
  {
    ...TELL,
    name: "submit-handoff",
    path: "/api/runs/:run/handoffs",
    summary: "Hands a handoff in for the attempt that is at work. Needs the header Idempotency-Key.",
    body: "handoff",
    answer: json("SubmittedHandoff", 202),
    errors: [409, 413, 415, 422],
    token: "run",
  },
  {
    ...TELL,
    name: "answer-ask",
    path: "/api/runs/:run/asks/:ask",
    summary: "Answers a question of a run. The first answer counts; the same again changes nothing, another gets 409.",
    body: { choice: bodyText.required("One of the choices of the question.", 200), reason: REASON },
    answer: json("Told", 202),
  },
  {
    ...TELL,
    name: "cancel-run",
    path: "/api/runs/:run/cancel",
    summary: "Ends a run and every agent that works in it.",
    body: { reason: REASON },
    answer: json("Told", 202),
  },
  {
    ...TELL,
    name: "retry-run",
    path: "/api/runs/:run/retry",
    summary: "Sends a failed run on again, from the agent where it failed.",
    body: { note: bodyText.optional("What the agent should know.", 4_000) },
    answer: json("Told", 202),
  },
  {
    ...TELL,
    name: "resume-run",
    path: "/api/runs/:run/resume",
    summary: "Continues a run that no process drives; the server drives it.",
    body: {},
    answer: json("Told", 202),
  },
  {
    ...LOOK,
    name: "show-inbox",
    path: "/api/inbox",
    summary: "Everything that waits for a person.",
    query: {},
    answer: json("Inbox"),
  },
  {
    ...LOOK,
    name: "search-facts",
    path: "/api/knowledge",
    summary: "Facts that were learned, the nearest first.",
    query: FACT_QUERY,
    answer: json("FactList"),
  },
  {
    ...LOOK,
    name: "show-fact",
    path: "/api/knowledge/:fact",
    summary: "One fact, whether its citation still stands, and its history.",
    query: {},
    answer: json("FactPage"),
  },
  {
    ...LOOK,
    name: "draw-fact",
    path: "/api/knowledge/:fact/graph",
    summary: "What stands around a fact.",
    query: { depth: parameter.count("How far.", { minimum: 1, maximum: 3, default: 1 }) },
    answer: json("FactGraph"),
  },
  {
    ...TELL,
    name: "change-fact",
    path: "/api/knowledge/:fact/:change",
    summary: "A person lets a fact be passed on, confirms it, or retires it.",
    body: { reason: REASON },
    answer: json("FactPage"),
  },
  {
    ...LOOK,
    name: "show-metrics",
    path: "/api/metrics",
    summary: "Figures over many runs.",
    query: {
      ...TIME,
      workflow: parameter.text("Name of the workflow."),
      agent: parameter.text("Only its part."),
    },
    answer: json("Metrics"),
  },
  {
    ...LOOK,
    name: "list-audit",
    path: "/api/audit",
    summary: "The log of all runs, with the hash of each entry.",
    query: {
      after: parameter.count("Position.", { default: 0 }),
      limit: parameter.count("Most entries on the page.", { minimum: 1, maximum: 1_000, default: 200 }),
    },
    answer: json("AuditList"),
  },
  {
    ...LOOK,
    name: "verify-audit",
    path: "/api/audit/verification",
    summary: "Whether the log is whole, recomputed.",
    query: {},
    answer: json("AuditReport"),
  },
  {
    ...LOOK,
    name: "export-audit",
    path: "/api/audit/export",
    summary: "The log as JSON Lines that can be verified elsewhere.",
    query: { run: parameter.text("Contents of this run only.", 64) },
    answer: { status: 200, type: "application/jsonl", schema: "AuditLine" },
  },
  {
    ...LOOK,
    name: "follow-events",
    path: "/api/events",
    summary: "Live events (Server-Sent Events). Goes on after the header Last-Event-ID, or after a position.",
    query: {
      run: parameter.text("Of this run only.", 64),
      after: parameter.whole("Position to go on after, for the first connection."),
    },
    answer: { status: 200, type: "text/event-stream", schema: "EventItem" },
  },
  {
    ...LOOK,
    name: "describe-api",
    path: "/api/openapi.json",
    summary: "This description.",
    query: {},
    answer: json("OpenApi"),
  },
] as const satisfies readonly ApiRoute[];

export type RouteName = (typeof ROUTES)[number]["name"];
export type RouteOf<N extends RouteName> = Extract<(typeof ROUTES)[number], { readonly name: N }>;
