import type { ServerResponse } from "node:http";
import type { Engine } from "../../runtime/engine.ts";
import { exportAudit } from "../../runtime/operations/export-audit.ts";
import { lastPosition } from "../../runtime/operations/follow-log.ts";
import { listAudit } from "../../runtime/operations/list-audit.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import { type Handler, SENT } from "../asked.ts";
import { Recent } from "../recent.ts";

const metrics = new WeakMap<object, Recent<object>>();
const verifying = new WeakMap<object, Promise<object>>();

export const showMetrics: Handler<"show-metrics"> = async ({ query, around }) => {
  const { machine } = around.engine;
  const recent = metrics.get(machine.log) ?? new Recent<object>(50);
  metrics.set(machine.log, recent);
  return recent.find(JSON.stringify(query), String(await lastPosition(machine)), () => around.longWork.measure(query));
};

export const listAuditEntries: Handler<"list-audit"> = async ({ query, around }) => {
  const { entries, next } = await listAudit(around.engine, query);
  return {
    entries: entries.map(({ data, ...entry }) => ({ ...entry, is_pruned: data === null })),
    next,
  };
};

/**
 * The whole log is read: those who ask at once share one answer. Nobody is given an older one, also when no entry has
 * come since: what was changed in the log is no new entry.
 */
export const verifyLog: Handler<"verify-audit"> = ({ around }) => {
  const { log } = around.engine.machine;
  const report = verifying.get(log) ?? around.longWork.verify().finally(() => verifying.delete(log));
  verifying.set(log, report);
  return report;
};

export const exportLog: Handler<"export-audit"> = async ({ query, raw, around }) => {
  const { engine } = around;
  const run = query.run === undefined ? undefined : (await findRun(engine.machine, query.run)).run;
  const response = raw.outgoing;
  response.writeHead(200, {
    "content-type": "application/jsonl; charset=utf-8",
    "content-disposition": 'attachment; filename="baton-audit.jsonl"',
    "cache-control": "no-store",
  });
  if (raw.incoming.method !== "HEAD") await sendLines(response, engine, run);
  response.end();
  return SENT;
};

async function sendLines(response: ServerResponse, engine: Engine, run: string | undefined): Promise<void> {
  for await (const line of exportAudit(engine, run === undefined ? {} : { run })) {
    if (response.destroyed) return;
    if (!response.write(line.endsWith("\n") ? line : `${line}\n`)) await drain(response);
  }
}

/** Whoever stops reading stops us, until it goes. */
function drain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.on("drain", go);
    response.on("close", go);
  });
}
