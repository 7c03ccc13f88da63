import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spanIdOf, traceContext, traceIdOf } from "./trace-ids.ts";

const traced = fc.record({ run: fc.string(), startedAt: fc.nat() });

describe("ids of a trace", () => {
  it("follow from the run and the part, and are told apart", () => {
    fc.assert(
      fc.property(traced, traced, fc.string(), fc.string(), (one, other, part, another) => {
        expect(traceIdOf(one)).toBe(traceIdOf({ ...one }));
        expect(spanIdOf(one, part)).toBe(spanIdOf({ ...one }, part));
        const isSame = one.run === other.run && one.startedAt === other.startedAt;
        expect(traceIdOf(one) === traceIdOf(other)).toBe(isSame);
        expect(spanIdOf(one, part) === spanIdOf(other, another)).toBe(isSame && part === another);
      }),
    );
  });

  it("are given to programs as W3C says, whatever a run is called", () => {
    fc.assert(
      fc.property(traced, fc.string(), (run, part) => {
        const { TRACEPARENT = "", TRACESTATE = "baton=1" } = traceContext(run, part);
        expect(TRACEPARENT).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/);
        expect(TRACESTATE).toMatch(/^baton=[\w.-]+$/);
      }),
    );
    const { TRACESTATE } = traceContext({ run: "4fe2a91c03", startedAt: 1 }, "run");
    expect(TRACESTATE).toBe("baton=4fe2a91c03");
  });

  it("stay as they are: an agent that an older baton started may hold them", () => {
    const context = traceContext({ run: "4fe2a91c03", startedAt: 1_794_812_465_774 }, "attempt/s1.1");
    expect(context["TRACEPARENT"]).toBe("00-f3e9bb6569b1ac4a93a2fef553dc2a13-c477a6da8c40f5e2-01");
  });
});
