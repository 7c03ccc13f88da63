import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";

const seed = Number(process.env["BATON_SEED"] ?? 20_260_309);
const texts = Object.values(READY_WORKFLOWS).map(({ text }) => text);

/** A piece is cut out, put in or moved, as slips and merges do. */
const mutated = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(40),
        fc.oneof(
          fc.constantFrom(
            "",
            "\n",
            ": ",
            "- ",
            "{",
            "}",
            "[",
            "]",
            '"',
            "'",
            "#",
            "&a ",
            "*a",
            "@",
            "|",
            "? ",
            "!!x ",
            "end",
          ),
          fc.constantFrom(
            "null",
            "true",
            "1e9",
            "-1",
            "__proto__",
            "toString",
            "loop",
            "retry: 1000000000",
            "\t",
            "\0",
          ),
          fc.string({ unit: "binary", maxLength: 5 }),
        ),
      ),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([text, edits]) => {
    let result = text;
    for (const [place, cut, put] of edits) {
      const at = Math.floor(place * result.length);
      result = result.slice(0, at) + put + result.slice(at + cut);
    }
    return result;
  });

describe("a workflow text of any kind", () => {
  it("never throws, is refused by an error or read, and every place is inside the text", () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const { workflow, diagnostics } = readWorkflow(text, { path: "x.yaml", hash: "hash" });
        expect(workflow === null).toBe(diagnostics.some(({ severity }) => severity === "error"));
        for (const { range, message, hint } of diagnostics) {
          expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
          expect(range.end.offset).toBeLessThanOrEqual(text.length);
          expect(message.length + (hint ?? "").length).toBeLessThan(2000);
        }
      }),
      { seed, numRuns: Number(process.env["BATON_WORKFLOW_RUNS"] ?? 500) },
    );
  });

  const agent = (name: string, routes: string) =>
    `  ${name}: { run: { human: true }, dialect: task-yaml, routes: ${routes} }\n`;
  const many = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join("");

  it.each([
    ["a chain", many(300, (index) => agent(`a${index}`, `{ done: ${index === 299 ? "end" : `a${index + 1}`} }`))],
    [
      "everyone to everyone",
      many(300, (index) =>
        agent(`a${index}`, `{ done: { choose: [${many(50, (to) => `a${(index + to) % 300}, `)}end] } }`),
      ),
    ],
    [
      "loops of everyone to everyone",
      many(300, (index) =>
        agent(`a${index}`, `{ done: end, failed: [${many(60, (to) => `{ when: "score > 1", loop: a${to} }, `)}end] }`),
      ),
    ],
    [
      "hubs only",
      many(300, (index) =>
        agent(`a${index}`, `{ done: { choose: [${many(40, (to) => `a${to}, `)}return] } }`).replace(
          "dialect",
          "hub: true, dialect",
        ),
      ),
    ],
    [
      "names that are nearly right",
      many(300, (index) => agent(`agent-number-${index}`, `{ done: agent-numbr-${index}x }`)),
    ],
  ])("is judged before the test gives up: %s", (_what, agents) => {
    const { diagnostics } = readWorkflow(`baton: 1\nname: big\nstart: a0\nagents:\n${agents}`, { path: "", hash: "" });
    expect(diagnostics.length).toBeLessThan(1100);
  });

  it("is judged before the test gives up: tasks", () => {
    const tasks = many(2000, (index) => `  - { id: t${index}, depends_on: [t${(index + 1) % 2000}] }\n`);
    const text = `baton: 1\nname: big\nstart: a\nbudget: { steps: 2000 }\ntasks:\n${tasks}agents:\n${agent("a", "{ done: end }")}`;
    const { diagnostics } = readWorkflow(text, { path: "", hash: "" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["cycle"]);
    expect(diagnostics[0]?.message).toContain("more");
  });
});
