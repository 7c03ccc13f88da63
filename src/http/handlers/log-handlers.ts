import type { ServerResponse } from "node:http";
import type { Engine } from "../../runtime/engine.ts";
import { exportAudit } from "../../runtime/operations/audit-head.ts";
import { lastPosition, listAudit } from "../../runtime/operations/show-run.ts";
import type { Metrics } from "../../runtime/operations/measure-runs.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import type { AuditReport } from "../../runtime/operations/verify-audit.ts";
import { type RouteHandlers, SENT } from "../handler.ts";

const metrics = new WeakMap<object, RecentAnswers<Metrics>>();
const verifying = new WeakMap<object, Promise<AuditReport>>();

/** Figures over many runs, and the log as a whole. */
export const LOG_HANDLERS = {
  "show-metrics": async ({ query, context }) => {
    const { ports } = context.engine;
    const recent = metrics.get(ports.log) ?? new RecentAnswers<Metrics>(50);
    metrics.set(ports.log, recent);
    // An answer from before a prune counts what is no longer there.
    const key = JSON.stringify([query, await ports.log.prunedEntries()]);
    return recent.find(key, String(await lastPosition(ports)), () => context.longWork.measure(query));
  },
  "list-audit": async ({ query, context }) => listAudit(context.engine, query),
  /**
   * The whole log is read: requests at the same time share one answer. A later request never gets it, even when no
   * entry was added since: a change of the log adds no entry.
   */
  "verify-audit": ({ context }) => {
    const { log } = context.engine.ports;
    const report = verifying.get(log) ?? context.longWork.verify().finally(() => verifying.delete(log));
    verifying.set(log, report);
    return report;
  },
  "export-audit": async ({ query, raw, context }) => {
    const { engine } = context;
    const run = query.run === undefined ? undefined : (await findRun(engine.ports, query.run)).run;
    const response = raw.outgoing;
    response.writeHead(200, {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": 'attachment; filename="baton-audit.jsonl"',
      "cache-control": "no-store",
    });
    if (raw.incoming.method !== "HEAD") await sendLines(response, engine, run);
    response.end();
    return SENT;
  },
} as const satisfies Partial<RouteHandlers>;

async function sendLines(response: ServerResponse, engine: Engine, run: string | undefined): Promise<void> {
  for await (const line of exportAudit(engine, run === undefined ? {} : { run })) {
    if (response.destroyed) return;
    if (!response.write(line.endsWith("\n") ? line : `${line}\n`)) await drain(response);
  }
}

/** A client that stops reading stops the export, until it disconnects. */
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

interface MadeAnswer<T> {
  readonly answer: T;
  readonly state: string;
  /** Until then it may be used even when the state has changed. */
  readonly until: number;
}

/** An answer may be used for this many times as long as it took to make. */
const REUSE_FACTOR = 20;
const MAX_REUSE = 60_000;
const SHORT_WAIT = 50;

/**
 * Answers over many runs. An answer is used again while nothing has changed, and otherwise for a time that grows with
 * its cost; a request that comes while a new answer is made gets the last one.
 */
class RecentAnswers<T> {
  readonly #max: number;
  readonly #made = new Map<string, MadeAnswer<T>>();
  readonly #making = new Map<string, Promise<T>>();

  constructor(max: number) {
    this.#max = max;
  }

  async find(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const known = this.#made.get(key);
    if (known !== undefined && (known.state === state || performance.now() < known.until)) return known.answer;
    const making = this.#making.get(key) ?? this.#make(key, state, make);
    return known === undefined ? making : this.#orLast(making, known.answer);
  }

  async #make(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const making = make();
    this.#making.set(key, making);
    try {
      const answer = await making;
      const took = performance.now() - started;
      this.#made.delete(key);
      this.#made.set(key, { answer, state, until: performance.now() + Math.min(took * REUSE_FACTOR, MAX_REUSE) });
      for (const oldest of this.#made.keys()) if (this.#made.size > this.#max) this.#made.delete(oldest);
      return answer;
    } finally {
      this.#making.delete(key);
    }
  }

  /** Waits a moment for the new answer. */
  #orLast(making: Promise<T>, last: T): Promise<T> {
    making.catch(() => undefined);
    const late = new Promise<T>((resolve) => setTimeout(() => resolve(last), SHORT_WAIT));
    return Promise.race([making, late]);
  }
}
