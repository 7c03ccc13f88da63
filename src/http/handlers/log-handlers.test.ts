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
