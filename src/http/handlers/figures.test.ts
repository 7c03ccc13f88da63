import { expect, it } from "vitest";
import type { Asked } from "../asked.ts";
import { verifyLog } from "./figures.ts";

it("the log is verified anew for whoever asks, and once for all who ask at the same time", async () => {
  let asked = 0;
  const verify = async (): Promise<object> => ({ findings: asked++ });
  const log = { lastPosition: () => Promise.resolve(7) };
  const request = {
    around: { engine: { machine: { log } }, longWork: { verify } },
  } as unknown as Asked<"verify-audit">;
  expect(await Promise.all([verifyLog(request), verifyLog(request)])).toEqual([{ findings: 0 }, { findings: 0 }]);
  expect(await verifyLog(request)).toEqual({ findings: 1 });
});
