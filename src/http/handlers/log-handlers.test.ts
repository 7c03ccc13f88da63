import { expect, it } from "vitest";
import type { RouteRequest } from "../handler.ts";
import { LOG_HANDLERS } from "./log-handlers.ts";

const verifyLog = LOG_HANDLERS["verify-audit"];

it("the log is verified anew for every request, and once for requests at the same time", async () => {
  let asked = 0;
  const verify = async (): Promise<object> => ({ findings: asked++ });
  const log = { lastPosition: () => Promise.resolve(7) };
  const request = {
    context: { engine: { ports: { log } }, longWork: { verify } },
  } as unknown as RouteRequest<"verify-audit">;
  expect(await Promise.all([verifyLog(request), verifyLog(request)])).toEqual([{ findings: 0 }, { findings: 0 }]);
  expect(await verifyLog(request)).toEqual({ findings: 1 });
});

it("figures are measured anew at once after a prune, which adds no entry", async () => {
  let pruned = 0;
  let measured = 0;
  const log = { lastPosition: () => Promise.resolve(7), prunedEntries: () => Promise.resolve(pruned) };
  const measure = async (): Promise<object> => ({ runs: measured++ });
  const request = {
    query: {},
    context: { engine: { ports: { log } }, longWork: { measure } },
  } as unknown as RouteRequest<"show-metrics">;
  const showMetrics = LOG_HANDLERS["show-metrics"];
  expect([await showMetrics(request), await showMetrics(request)]).toEqual([{ runs: 0 }, { runs: 0 }]);
  pruned = 12;
  expect([await showMetrics(request), await showMetrics(request)]).toEqual([{ runs: 1 }, { runs: 1 }]);
});
