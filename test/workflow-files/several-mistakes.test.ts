import { describe, expect, it } from "vitest";
import { diagnose, unmark } from "./marked-text.ts";

const HEAD = "baton: 1\nname: sample\nstart: builder\n";

/** One agent with these lines. */
function builder(lines: string, more = ""): string {
  return `${HEAD}${more}agents:\n  builder:\n    run: { process: [build] }\n    dialect: pipeline-json\n${lines}\n`;
}

/** Each list has two mistakes; the second must be told at its own place. */
const LISTS: readonly (readonly [string, string])[] = [
  ["gates", builder("    gates: [«1», «lint»]\n    routes: { done: end }")],
  [
    "agents that a failure may go to",
    builder("    on_failure: { retry: 1, may_route_to: [«3», «mender»] }\n    routes: { done: end }"),
  ],
  ["choices", builder("    routes: { done: { choose: [«5», «tester», end] } }")],
  [
    "routes",
    builder("    routes: { done: [{ to: «5», when: retries > 1 }, { to: «tester», when: coverage > 90 }, end] }"),
  ],
  ["tasks to wait for", builder("    routes: { done: end }", "tasks: [{ id: a, depends_on: [«true», «b»] }]\n")],
];

describe("several mistakes in a workflow", () => {
  it.each(LISTS)("of one list are told at their own places: %s", (_what, marked) => {
    const { text, spans } = unmark(marked);
    expect(diagnose(text).spans).toEqual(spans);
  });

  it("an id without its quotes is the only mistake: who waits for it is told nothing", () => {
    const tasks = 'tasks: [{ id: «1» }, { id: "2", depends_on: ["1"] }, { id: "3", depends_on: [«2»] }]\n';
    const { text, spans } = unmark(builder("    routes: { done: end }", tasks));
    expect(diagnose(text).spans).toEqual(spans);
  });

  it("a name or an id that is too long is told how long it may be", () => {
    const long = "a".repeat(65);
    const { words } = diagnose(builder("    routes: { done: end }", `tasks: [{ id: ${long} }]\n`));
    expect(words).toContain("an id of at most 64 letters");
    expect(diagnose(builder("    routes: { done: end }").replace("sample", long)).words).toContain(
      "at most 64 letters",
    );
  });

  it("a name is never guessed to be an empty one", () => {
    const tasks = 'tasks: [{ id: null }, { id: a, depends_on: ["9"] }]\n';
    const { words } = diagnose(builder("    routes: { done: end }", tasks));
    expect(words).toContain("No task is called `9`. There are a.");
    expect(words).not.toContain("Did you mean ?");
  });

  it.each([
    ["a condition that cannot be read", "[{ to: end, when: coverage > }, tester]", "The condition ends too early"],
    ["a route that is never taken", "[tester, { to: end, when: coverage > 90 }]", "This route is never taken"],
    ["a policy of another kind", "tester\n    verify: { file: refuze }", "refuse"],
  ])("%s does not hide what is wrong with the graph", (_what, routes, part) => {
    const tester =
      "  tester:\n    run: { process: [check] }\n    dialect: pipeline-json\n    routes: { done: builder }\n";
    const lost = "  lost:\n    run: { process: [check] }\n    dialect: pipeline-json\n    routes: { done: end }\n";
    const { words } = diagnose(`${builder(`    routes:\n      done: ${routes}`)}${tester}${lost}`);
    expect(words).toContain(part);
    expect(words).toContain("Work can go round without a bound: builder -> tester -> builder.");
    expect(words).toContain("Nothing leads to `lost`.");
  });
});
