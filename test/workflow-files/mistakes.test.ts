import { describe, expect, it } from "vitest";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { diagnose, unmark } from "./marked-text.ts";

const HEAD = "baton: 1\nname: sample\nstart: builder\n";
const BUILDER = "  builder:\n    run: { process: [build] }\n    dialect: pipeline-json\n";
const TESTER = "  tester:\n    run: { process: [check] }\n    dialect: pipeline-json\n";
const GOOD = `${HEAD}agents:\n${BUILDER}    routes: { done: tester }\n${TESTER}    routes: { done: end }\n`;

/** The builder with these lines, and a tester that is fine. */
function builder(lines: string, more = ""): string {
  return `${HEAD}${more}agents:\n${BUILDER}${lines}\n${TESTER}    routes: { done: end }\n`;
}

/** The tester with these lines, after a builder that is fine. */
function tester(lines: string, more = ""): string {
  return `${HEAD}${more}agents:\n${BUILDER}    routes: { done: tester }\n${TESTER}${lines}\n`;
}

const FORGE = "forge: { local: ../forge }\n";

/** An agent that comes along, with a forge. */
function builtin(run: string): string {
  return `${HEAD}${FORGE}agents:\n  builder:\n    ${run}\n    dialect: issue-xml\n    routes: { done: end }\n`;
}

/** What is wrong, the code and a part of what is said, the text with the place marked. */
const MISTAKES: readonly (readonly [string, string, string, string])[] = [
  [
    "no way to the end",
    "no-way-out",
    "From `tester`",
    GOOD.replace("  tester:", "  «tester»:").replace("done: end", "done: person"),
  ],
  ["a key that means nothing", "unknown-key", "timeout", tester("    «timout»: 5m\n    routes: { done: end }")],
  ["a key of the file that means nothing", "unknown-key", "mode", `«mod»: semi\n${GOOD}`],
  [
    "a key of a route that means nothing",
    "unknown-key",
    "loop",
    tester("    routes: { done: end, needs-fixes: { «lop»: builder, to: end } }"),
  ],
  ["an outcome that is none", "unknown-key", "needs-fixes", tester("    routes: { done: end, «need-fixes»: person }")],
  [
    "a missing field",
    "missing-field",
    "`start` is missing",
    GOOD.replace("baton", "«baton»").replace("start: builder\n", ""),
  ],
  ["another version", "bad-format", "must be 1; found 2", GOOD.replace("baton: 1", "baton: «2»")],
  ["a word that is not one of the words", "not-allowed", "semi", `mode: «semy»\n${GOOD}`],
  ["a duration without its unit", "wrong-type", "10m", `budget: { wall: «30» }\n${GOOD}`],
  ["a duration that is none", "bad-format", "a duration", `budget: { wall: «2 hours» }\n${GOOD}`],
  ["a duration of nothing", "bad-format", "a duration", `budget: { wall: «0s» }\n${GOOD}`],
  ["a size that is none", "bad-format", "a size", tester("    output: «lots»\n    routes: { done: end }")],
  ["a number out of its bounds", "bad-format", "between 1 and 64", `parallel: «0»\n${GOOD}`],
  ["an unknown start", "unknown-name", "Did you mean builder?", GOOD.replace("start: builder", "start: «bilder»")],
  ["an unknown agent of a word", "unknown-name", "Did you mean tester?", builder("    routes: { done: «tster» }")],
  [
    "an unknown agent of a record",
    "unknown-name",
    "tester",
    builder('    routes:\n      done: [{ when: "score > 1", to: «tster» }, tester]'),
  ],
  [
    "an unknown agent of a loop",
    "unknown-name",
    "builder",
    tester("    routes: { done: end, needs-fixes: { loop: «bulder» } }"),
  ],
  [
    "an unknown choice",
    "unknown-name",
    "tester",
    builder("    routes: { done: { choose: [tester, «tstr»], otherwise: person } }"),
  ],
  [
    "an unknown agent after retries",
    "unknown-name",
    "tester",
    builder("    routes: { done: tester, failed: { retry: 2, then: «testr» } }"),
  ],
  [
    "an unknown gate",
    "unknown-name",
    "There are lint.",
    tester("    gates: [lint, «xyz»]\n    routes: { done: end }", "gates: { lint: { command: [lint] } }\n"),
  ],
  [
    "an unknown agent of a failure policy",
    "unknown-name",
    "builder",
    tester("    on_failure: { route_to: «bilder» }\n    routes: { done: end }"),
  ],
  [
    "an unknown agent of the blocked table",
    "unknown-name",
    "tester",
    `blocked: { security_concern: { builder: «testr» } }\n${GOOD}`,
  ],
  [
    "a reserved name",
    "reserved-name",
    "has a meaning",
    GOOD.replace(
      "done: end }\n",
      "done: end }\n  «fail»:\n    run: { human: true }\n    dialect: task-yaml\n    routes: { done: end }\n",
    ),
  ],
  ["a name with @", "bad-format", "Leave out the @", builder('    routes: { done: «"@tester"» }')],
  ["an agent that is no record", "wrong-type", "a record", GOOD.replace("agents:\n", "agents:\n  other: «yes»\n")],
  [
    "nothing that runs",
    "missing-field",
    "what runs",
    GOOD.replace("run: { process: [check] }", "«run»: { prompt: file }"),
  ],
  [
    "two things that run",
    "inconsistent",
    "says both",
    GOOD.replace("run: { process: [check] }", "run: { process: [check], «human»: true }"),
  ],
  [
    "a key that belongs to another runner",
    "inconsistent",
    "process",
    GOOD.replace("run: { process: [check] }", "run: { acp: [gemini, --acp], «inherit»: [HOME] }"),
  ],
  [
    "an agent that does not come along",
    "not-allowed",
    "prep, validator, closer",
    GOOD.replace("run: { process: [check] }", "run: { builtin: «prepp» }"),
  ],
  [
    "an agent that comes along, without a forge",
    "inconsistent",
    "names no `forge`",
    builtin("run: { builtin: «prep» }").replace(FORGE, ""),
  ],
  [
    "an agent that comes along, in another format",
    "inconsistent",
    "issue-xml only",
    builtin("run: { builtin: prep }").replace("dialect: issue-xml", "dialect: «task-yaml»"),
  ],
  [
    "an option that means nothing",
    "unknown-key",
    "Did you mean lint?",
    builtin("run: { builtin: validator, options: { «lnt»: [npm, run, lint] } }"),
  ],
  [
    "an option of another agent",
    "unknown-key",
    "keep_branch",
    builtin("run: { builtin: closer, options: { «merge»: squash } }"),
  ],
  [
    "a check that is one text",
    "wrong-type",
    "a list",
    builtin("run: { builtin: validator, options: { unit: «npm test» } }"),
  ],
  [
    "a way to merge that is none",
    "not-allowed",
    "squash, merge, rebase",
    builtin("run: { builtin: validator, options: { merge: «fast-forward» } }"),
  ],
  [
    "a port below those for everybody",
    "bad-format",
    "1024",
    builtin("run: { builtin: prep, options: { ports: { first: «80» } } }"),
  ],
  ["a forge that says not which", "missing-field", "which", `«forge»: { base: main }\n${GOOD}`],
  ["two forges", "inconsistent", "both local and github", `«forge»: { local: f, github: a/b }\n${GOOD}`],
  ["a token for a folder", "inconsistent", "github", `forge: { local: f, «token»: X }\n${GOOD}`],
  ["a repository without an owner", "bad-format", "owner/name", `forge: { github: «shop» }\n${GOOD}`],
  ["an API in the clear", "bad-format", "https", `forge: { github: a/b, api: «http://git.example» }\n${GOOD}`],
  ["a base that is no branch", "bad-format", "branch", `forge: { local: f, base: «--force» }\n${GOOD}`],
  [
    "a function without its name",
    "bad-format",
    "#review",
    GOOD.replace("run: { process: [check] }", "run: { function: «./x.mjs» }"),
  ],
  [
    "a route that goes two ways",
    "inconsistent",
    "to and loop",
    tester("    routes: { done: end, «needs-fixes»: { to: end, loop: builder } }"),
  ],
  [
    "a route that goes nowhere",
    "no-route",
    "where to go",
    tester('    routes: { done: end, «needs-fixes»: { when: "score > 1" } }'),
  ],
  [
    "a `then` without its `retry`",
    "inconsistent",
    "belongs to `retry`",
    tester("    routes: { done: end, failed: { to: person, «then»: end } }"),
  ],
  [
    "too many retries",
    "bad-format",
    "between 1 and 20",
    tester("    routes: { done: end, failed: { retry: «1000000000» } }"),
  ],
  [
    "a loop to no agent",
    "wrong-type",
    "must name an agent",
    tester("    routes: { done: end, failed: { loop: «end» } }"),
  ],
  [
    "a choice that no handoff has",
    "not-allowed",
    "otherwise",
    tester("    routes: { done: { choose: [end, «person»] } }"),
  ],
  [
    "a condition with a slip",
    "bad-condition",
    "open.blocking",
    tester(
      '    routes:\n      done: end\n      needs-fixes:\n        - { when: "«open.blockng» > 0", loop: builder }\n        - person',
    ),
  ],
  [
    "a condition without quotes",
    "bad-condition",
    "==",
    tester(
      "    routes:\n      done: end\n      needs-fixes:\n        - when: score «=» 1\n          to: end\n        - person",
    ),
  ],
  ["no route for done", "no-route", "no route for `done`", tester("    «routes»: { failed: person }")],
  [
    "no route when no condition holds",
    "no-route",
    "without `when`",
    tester('    routes:\n      done: end\n      «needs-fixes»:\n        - { when: "score > 1", to: end }'),
  ],
  ["an empty list of routes", "no-route", "lists no route", tester("    routes: { done: end, «failed»: [] }")],
  [
    "a route behind one that is always taken",
    "unreachable",
    "never taken",
    tester("    routes: { done: [end, «person»] }"),
  ],
  [
    "an agent that nothing leads to",
    "unreachable",
    "Nothing leads to",
    GOOD.replace(
      "agents:\n",
      "agents:\n  «lonely»:\n    run: { human: true }\n    dialect: task-yaml\n    routes: { done: end }\n",
    ),
  ],
  ["a gate that nobody passes", "unreachable", "lint", `gates: { «lint»: { command: [lint] } }\n${GOOD}`],
  ["a domain that no agent is of", "unreachable", "domain", `blocked: { unknown: { «frontend»: person } }\n${GOOD}`],
  ["a return to nobody", "unreachable", "hub: true", tester("    routes: { done: «return» }")],
  [
    "a loop that does not come back",
    "no-way-back",
    "never comes back",
    builder("    routes: { done: tester, needs-fixes: { loop: «tester» } }"),
  ],
  [
    "a circle of agents",
    "cycle",
    "builder -> tester -> builder",
    tester("    routes: { done: end, needs-fixes: «builder» }"),
  ],
  [
    "a circle through a gate",
    "cycle",
    "builder -> tester -> builder",
    tester("    gates: [lint]\n    routes: { done: end }", "gates: { lint: { command: [lint], failed: «builder» } }\n"),
  ],
  [
    "an agent that blocks itself",
    "cycle",
    "sent to itself",
    `blocked: { test_failures: { tester: «tester» } }\n${GOOD}`,
  ],
  [
    "tasks in a circle",
    "cycle",
    "a -> b -> a",
    `tasks: [{ id: a, depends_on: [b] }, { id: b, depends_on: [«a»] }]\n${GOOD}`,
  ],
  ["a task that waits for itself", "cycle", "a -> a", `tasks: [{ id: a, depends_on: [«a»] }]\n${GOOD}`],
  [
    "a task that waits for nothing known",
    "unknown-name",
    "task-1",
    `tasks: [{ id: task-1 }, { id: b, depends_on: [«task-2»] }]\n${GOOD}`,
  ],
  ["two tasks of one id", "duplicate-key", "Two tasks", `tasks: [{ id: a }, { id: «a» }]\n${GOOD}`],
  ["a task that starts nowhere", "unknown-name", "builder", `tasks: [{ id: a, start: «bilder» }]\n${GOOD}`],
  ["an id that YAML reads as a number", "wrong-type", "quotes", `tasks: [{ id: «15» }]\n${GOOD}`],
  ["a budget that cannot be promised", "unsure-budget", "builder, tester", `budget: { money: «10» }\n${GOOD}`],
  ["questions that wait for ever", "waits-for-ever", "24h", `asks: { timeout: «none» }\n${GOOD}`],
  ["a severity that no issue has", "not-allowed", "critical", `loop: { blocking: [«Critical», high] }\n${GOOD}`],
  ["consent by silence", "not-allowed", "remind, reject, fail", `asks: { silence: «approve» }\n${GOOD}`],
  [
    "a reason that is nearly one",
    "unknown-key",
    "security_concern",
    `blocked: { «security_concerns»: person }\n${GOOD}`,
  ],
  [
    "a content rule that nobody checks",
    "unknown-key",
    "minLength",
    tester("    gives: { done: { properties: { summary: { «minlen»: 3 } } } }\n    routes: { done: end }"),
  ],
  [
    "a content rule of no type",
    "wrong-type",
    "object",
    tester("    needs: { type: «record» }\n    routes: { done: end }"),
  ],
  ["a key twice", "duplicate-key", "twice", `mode: semi\n«mode»: semi\n${GOOD}`.replaceAll("semi", "supervised")],
  [
    "a forbidden key",
    "forbidden-key",
    "refused",
    GOOD.replace(
      "agents:\n",
      "agents:\n  «__proto__»:\n    run: { human: true }\n    dialect: task-yaml\n    routes: { done: end }\n",
    ),
  ],
  ["an unquoted @", "syntax-error", "quotes", GOOD.replace("start: builder", "start: «@builder»")],
];

describe("a mistake in a workflow", () => {
  it("is what follows: without one there is nothing to say", () => {
    expect(diagnose(GOOD).found).toEqual([]);
  });

  it.each(MISTAKES)("%s: %s", (_mistake, code, part, marked) => {
    const { text, spans } = unmark(marked);
    const { found, words } = diagnose(text);
    expect(found.filter((line) => line === `${code} ${spans[0]}`)).toEqual([`${code} ${spans[0]}`]);
    expect(words).toContain(part);
  });

  it.each(MISTAKES)("%s: is the only one told", (_mistake, code, _part, marked) => {
    const consequences: Readonly<Record<string, number>> = { "forbidden-key": 9, "reserved-name": 2, "no-way-out": 2 };
    expect(diagnose(unmark(marked).text).found.length).toBeLessThanOrEqual(consequences[code] ?? 1);
  });

  it("is told together with all others, in reading order", () => {
    const { text, spans } = unmark(
      `${HEAD.replace("sample", "«1»")}mode: «semy»\nbudget: { wall: «soon», money: «5» }\n` +
        `tasks: [{ id: a, depends_on: [«b»] }]\nagents:\n${BUILDER}    «timout»: 5m\n` +
        '    routes: { done: «tster», needs-fixes: [{ when: "«opn.low» > 1", loop: builder }, «end», person] }\n'.replace(
          "«end», person",
          "end, «person»",
        ) +
        `${TESTER}    routes: { done: end }\n`,
    );
    const reading = diagnose(text);
    expect(reading.spans).toEqual(spans);
  });

  it("refuses a workflow only when it is an error", () => {
    const read = (text: string) => readWorkflow(text, { path: "", hash: "the hash" }).workflow;
    expect(read(`asks: { timeout: none }\n${GOOD}`)).toMatchObject({ hash: "the hash", asks: { timeout: null } });
    expect(read(`mode: semy\n${GOOD}`)).toBeNull();
  });

  it.each([
    ["empty", "", "empty"],
    ["empty", "   \n", "empty"],
    ["a list", "- a\n- b\n", "one record"],
    ["a word", "workflow\n", "one record"],
    ["binary", "a\0b", "binary"],
    ["cut off", "baton: 1\nagents: { a: [", "cut off"],
    ["two documents", `${GOOD}---\nbaton: 1\n`, "several YAML documents"],
    ["an alias", "a: &x [1]\nb: *x\n", "aliases"],
    [
      "too many agents",
      `baton: 1\nagents:\n${Array.from({ length: 400 }, (_, index) => `  a${index}: {}\n`).join("")}`,
      "may have 300",
    ],
    ["very deep", `a: ${"[".repeat(100)}${"]".repeat(100)}`, "levels deep"],
  ])("of the whole text, %s", (_what, text, part) => {
    expect(diagnose(text).words).toContain(part);
  });
});
