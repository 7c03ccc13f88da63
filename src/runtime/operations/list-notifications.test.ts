import { expect, it } from "vitest";
import { openMemoryLog } from "../../../test/memory-log/open-memory-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { notificationsAfter } from "./list-notifications.ts";

it("a damaged entry is reported, and the entries after it are still sent", async () => {
  const log = openMemoryLog();
  const lease = await log.create({ run: "r1", name: "pipeline", workflow: "w", at: 1 }, "me", 1_000);
  const entries = [
    { kind: "ask-opened", data: { kind: "ask-opened", ask: "not a question" } },
    { kind: "run-failed", data: { kind: "run-failed", at: 1, reason: "it broke" } },
  ];
  const rest = { effects: [], settled: [], taken: [], status: "failed", finished: true, summary: {}, wakeAt: null };
  await log.commit({ run: "r1", lease, after: 0, at: 1, entries, ...rest });
  const { news, isLast } = await notificationsAfter({ log } as Ports, 0, 10, 0);
  expect(isLast).toBe(true);
  expect(news.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    expect.stringMatching(/^notice: .*r1.* cannot be read: /),
    "end: failed: it broke",
  ]);
});
