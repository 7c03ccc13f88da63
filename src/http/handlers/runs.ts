import { openApi } from "../../api/openapi.ts";
import { listRunItems } from "../../runtime/operations/list-runs.ts";
import { listEvents, showRun } from "../../runtime/operations/show-run.ts";
import { type Handler, pathValue } from "../asked.ts";

export const about: Handler<"about"> = async ({ around }) => {
  const { version, root, startedAt, demo } = around.about;
  return { version, root, started_at: startedAt, demo };
};

export const listRuns: Handler<"list-runs"> = async ({ query, around }) => {
  const { status: statuses, stalled_after: stalledAfter, ...others } = query;
  return listRunItems(around.engine.machine, { ...others, statuses, stalledAfter });
};

export const showOneRun: Handler<"show-run"> = async (asked) =>
  showRun(asked.around.engine.machine, pathValue(asked, "run"));

export const listRunEvents: Handler<"list-events"> = async (asked) =>
  listEvents(asked.around.engine.machine, pathValue(asked, "run"), asked.query.after, asked.query.limit);

export const describeApi: Handler<"describe-api"> = async ({ around }) => openApi(around.about.version);
