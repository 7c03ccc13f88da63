import { openApi } from "../../api/openapi.ts";
import { listRunItems } from "../../runtime/operations/list-runs.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import { showAttempt } from "../../runtime/operations/show-attempt.ts";
import { convertStored, showHandoff } from "../../runtime/operations/show-handoff.ts";
import { listEvents, showRun } from "../../runtime/operations/show-run.ts";
import { type RouteHandlers, SENT, pathValue } from "../handler.ts";
import { LIMITS, tooMany } from "../limits.ts";

/** Look at runs, their attempts and their handoffs. */
export const RUN_HANDLERS = {
  about: async ({ context }) => {
    const { version, root, startedAt, demo } = context.about;
    return { version, root, started_at: startedAt, demo };
  },
  "show-hooks": async ({ context }) => context.hooks(),
  "list-schedules": async ({ context }) => context.schedules(),
  "list-runs": async ({ query, context }) => {
    const { status: statuses, stalled_after: stalledAfter, ...others } = query;
    return listRunItems(context.engine.ports, { ...others, statuses, stalledAfter });
  },
  "show-run": async (request) => showRun(request.context.engine.ports, pathValue(request, "run")),
  "list-events": async (request) => {
    const { query, context } = request;
    return listEvents(context.engine.ports, pathValue(request, "run"), query.after, query.limit);
  },
  "show-attempt": async (request) =>
    showAttempt(request.context.engine.ports, pathValue(request, "run"), pathValue(request, "attempt")),
  "show-handoff": async (request) =>
    showHandoff(request.context.engine.ports, pathValue(request, "run"), pathValue(request, "attempt")),
  "convert-handoff": async (request) => {
    const dialect = pathValue(request, "dialect");
    return convertStored(
      request.context.engine.ports,
      pathValue(request, "run"),
      pathValue(request, "attempt"),
      dialect,
    );
  },
  "follow-events": async ({ query, raw, context }) => {
    const { feed, engine } = context;
    if (feed.size >= LIMITS.liveClients) throw tooMany();
    const run = query.run === undefined ? null : (await findRun(engine.ports, query.run)).run;
    const { incoming, outgoing } = raw;
    const last = incoming.headers["last-event-id"];
    const after = typeof last === "string" && /^\d{1,15}$/.test(last) ? Number(last) : (query.after ?? null);
    // The end of the connection ends the answer: chunked encoding would cost three pieces for each one that is sent.
    outgoing.useChunkedEncodingByDefault = false;
    outgoing.shouldKeepAlive = false;
    outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
    if (incoming.method === "HEAD") outgoing.end();
    else {
      outgoing.write("retry: 1000\n\n");
      await feed.join(outgoing, run, after);
    }
    return SENT;
  },
  "describe-api": async ({ context }) => openApi(context.about.version),
} as const satisfies Partial<RouteHandlers>;
