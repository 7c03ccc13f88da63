import type { DiagnosticCode } from "./diagnostic.ts";

/** What `baton explain` teaches about a code. */
export interface CatalogEntry {
  readonly title: string;
  readonly about: string;
  readonly wrong: string;
  readonly right: string;
}

const PHASE = '```yaml\nhandoff:\n  phase: Testing\n  from: "@tester"\n  to: None\n  status: complete\n```';

function entry(title: string, about: string, wrong: string, right: string): CatalogEntry {
  return { title, about, wrong, right };
}

export const CATALOG: Readonly<Record<DiagnosticCode, CatalogEntry>> = {
  empty: entry(
    "The text is empty",
    "An agent with nothing to hand over still says so. An empty file is never a pass.",
    "(nothing)",
    PHASE,
  ),
  binary: entry(
    "The file is not text",
    "Handoffs are UTF-8 text. Name the file that holds the handoff.",
    "report.pdf",
    "report.md",
  ),
  "wrong-encoding": entry(
    "The text is not UTF-8",
    "Other encodings would change names and paths without a word.",
    "a file saved as UTF-16 or Latin-1",
    "the same file saved as UTF-8",
  ),
  "too-large": entry(
    "The text is too large",
    "The limit is 1 MiB unless --max-bytes says otherwise. A handoff names files; it does not contain them.",
    '"command_output": "(40 MB of log)"',
    '"command_output": "31 passed, see logs/test.log"',
  ),
  "no-handoff": entry(
    "There is no handoff",
    "A file that was named must hold a handoff. In folders and globs such files are skipped, unless their name says that they are one, as `handoff-Tester.json` does.",
    "All done, tests are green!",
    PHASE,
  ),
  "wrong-container": entry(
    "The file holds something else than its name says",
    "A .json file holds one JSON value and no prose around it.",
    '# Result\n{ "from_agent": "A" }',
    '{ "from_agent": "A", ... }',
  ),
  "syntax-error": entry(
    "The text cannot be parsed",
    "The place is where the parser could not go on. With a fix, `baton fix` can mend it.",
    "from: @tester",
    'from: "@tester"',
  ),
  truncated: entry(
    "The text was cut off",
    "Something that was opened is never closed. A handoff that may be cut off is never accepted.",
    '{ "status": "PASS", "issues": [',
    '{ "status": "PASS", "issues": [] }',
  ),
  "too-deep": entry(
    "Values are nested too deep",
    "64 levels are allowed. Deeper nesting is a mistake or an attack.",
    "[[[[[[ ... ]]]]]]",
    '["one", "two"]',
  ),
  "too-many-nodes": entry(
    "The document holds too many values",
    "50,000 values are allowed, and 200 handoffs in one text.",
    "a list of every line of a log",
    "the path of the log",
  ),
  "alias-refused": entry(
    "YAML aliases are refused",
    "A few bytes of aliases can stand for gigabytes.",
    "a: &x [1, 2]\nb: *x",
    "a: [1, 2]\nb: [1, 2]",
  ),
  "doctype-refused": entry(
    "A DOCTYPE is refused",
    "It can define entities that expand without end or read files.",
    "<!DOCTYPE x [ ... ]>\n<handoff>...</handoff>",
    "<handoff>...</handoff>",
  ),
  "duplicate-key": entry(
    "A field is written twice",
    "Parsers differ on which one counts, so neither does.",
    '{ "status": "FAIL", "status": "PASS" }',
    '{ "status": "FAIL" }',
  ),
  "forbidden-key": entry(
    "A field name is refused",
    "__proto__, constructor and prototype can change how programs treat the whole record.",
    '{ "__proto__": {} }',
    '{ "prototype_notes": {} }',
  ),
  "unsafe-number": entry(
    "A number has too many digits",
    "It would be rounded. Identifiers are text.",
    '"merge_sha": 12345678901234567890',
    '"merge_sha": "12345678901234567890"',
  ),
  "several-roots": entry(
    "There is more than one root",
    "A handoff is one record or one element.",
    "{ ... }\n{ ... }",
    "{ ... }",
  ),
  "wrong-file-name": entry(
    "The file has another name than the format asks for",
    "The name says whose handoff it is.",
    "result.json",
    "handoff-TestAgent.json",
  ),
  "unfenced-block": entry(
    "The handoff stands in the text without a code fence",
    "It is read, but where it ends is a guess of layout.",
    "---\nhandoff:\n  phase: Testing",
    PHASE,
  ),
  "superseded-block": entry(
    "A later block of the same format follows",
    "Only the last one counts.",
    `${PHASE}\n\n${PHASE}`,
    PHASE,
  ),
  "commented-handoff": entry(
    "A handoff stands in an HTML comment",
    "Nothing in a comment counts, so that an author can take a handoff back without deleting it.",
    `<!--\n${PHASE}\n-->`,
    PHASE,
  ),
  contradiction: entry(
    "Two handoffs of one text contradict each other",
    "Both are read. In a run the one in the agent's own format counts; elsewhere a reader could go by either.",
    `${PHASE}\n\n<handoff>... <status>failure</status></handoff>`,
    PHASE,
  ),
  "text-after-block": entry(
    "Text follows the metadata block",
    "The block is the last thing of an output file, so that programs find it.",
    "```json\n{ ... }\n```\nThat is all.",
    "That is all.\n```json\n{ ... }\n```",
  ),
  "misplaced-section": entry(
    "A section of the task file is not at its place",
    "Order: Metadata, Objective, Acceptance Criteria, Context Provided, Execution Log, Handoff.",
    "## Handoff\n...\n## Objective",
    "## Objective\n...\n## Handoff",
  ),
  "legacy-summary": entry(
    "A Markdown summary without a handoff block",
    "Only the verdict, counts and next agent can be read from it.",
    "## TESTING COMPLETE\n\n**Next Agent:** None",
    `## TESTING COMPLETE\n\n${PHASE}`,
  ),
  "ambiguous-format": entry(
    "Two formats fit the text",
    "A format of your own and another one both recognise it. It is read as your own format, and you are told. `when` in the format file decides where both fit.",
    "stands: { keys: [from_agent] }",
    'stands: { keys: [from_agent] }\nwhen: "relay == 2"',
  ),
  manifest: entry(
    "The manifest of a feature",
    "MANIFEST.yaml lists outputs; it is not a handoff itself.",
    "baton validate MANIFEST.yaml",
    "baton validate .",
  ),
  "missing-field": entry(
    "A required field is missing or empty",
    "The next agent, or the program that routes, needs it.",
    "handoff:\n  phase: Testing",
    PHASE,
  ),
  "wrong-type": entry(
    "A value has the wrong type",
    "A list is not a text, and a number is not an identifier.",
    "dependencies: [15.3]",
    'dependencies: ["15.3"]',
  ),
  "not-allowed": entry(
    "A word is not one of the allowed words",
    "Programs decide by these words, so they are exact, case included.",
    "status: Completed",
    "status: complete",
  ),
  "bad-format": entry(
    "A value does not have its format",
    "Times are ISO 8601, paths relative, places file:line.",
    '"timestamp": "yesterday"',
    '"timestamp": "2026-03-09T14:05:00Z"',
  ),
  inconsistent: entry(
    "Two statements contradict each other",
    "Both cannot be true, so the handoff cannot be relied on.",
    '"status": "PASS" with an open issue',
    '"status": "PASS_WITH_WARNINGS" with an open issue',
  ),
  "unfilled-template": entry(
    "The template was never filled in",
    "A value still lists its choices or holds a placeholder.",
    "status: success|failure|blocked",
    "status: success",
  ),
  "nonstandard-value": entry(
    "A word outside the format was understood all the same",
    "It is read, but another reader may not know it.",
    '"status": "needs-review"',
    '"status": "needs_review"',
  ),
  defaulted: entry(
    "A missing value was read as its default",
    "Nothing is defaulted silently. `baton fix` writes it.",
    "(no iteration)",
    '"iteration": 1',
  ),
  "near-miss": entry(
    "A key looks like a misspelled field",
    "Unknown keys are welcome, and kept; but this one is so near to a field which is missing that it is most likely meant. Whoever asks for the field does not find it. `baton fix` renames the key when its value is one that the field can have.",
    '"known_limitatons": ["No refunds yet"]',
    '"known_limitations": ["No refunds yet"]',
  ),
  loss: entry(
    "A conversion changed something",
    "The target dialect has no word or field for it; readers of the target see the change.",
    "PASS_WITH_WARNINGS becomes retry in phase-yaml",
    "status: retry, with the original under carried",
  ),
  carried: entry(
    "Something travels along without a field of its own",
    "It stands under `carried` and is restored when the handoff is converted back.",
    "(dropped without a word)",
    "context:\n  carried:\n    summary: ...",
  ),
  filled: entry(
    "A conversion had to fill in a value",
    "The target demands it and the source has none. Give it with --set.",
    "from: unknown-agent",
    "baton convert FILE --to DIALECT --set from=tester",
  ),
  unused: entry(
    "A value that was given for a conversion was of no use",
    "The source states it itself, or the target has no field for it. What the source states is never overwritten.",
    "baton convert task-7.md --to task-yaml --set issue=71",
    "baton convert task-7.md --to issue-xml --set issue=71",
  ),
  "ambiguous-note": entry(
    "A note could not be structured without guessing",
    "`baton migrate` takes only what the notes say plainly. --prompt asks the agent for the rest.",
    "Should look at the cache",
    "Next step (high): measure the cache",
  ),
  "refuted-claim": entry(
    "A claim of a handoff is not true",
    "`baton verify` has looked: the repository, or a gate that was run, shows otherwise. The kind of claim stands before it.",
    '"files_created": ["src/cart.ts"] (no such file)',
    '"files_created": ["src/shop/cart.ts"] (the file that was made)',
  ),
  "failed-gate": entry(
    "A gate did not pass, or could not be used",
    "`baton verify --run-gates` has run it: it failed, could not start, or has not written the report that was asked for.",
    "npm test: exit code 1",
    "npm test: exit code 0, and its report is there",
  ),
  "no-claims": entry(
    "A handoff claims nothing that could be checked",
    "It is valid, and `baton verify` has nothing to look at: neither files nor commits, tests or checks.",
    "# Summary\n\nVerdict: PASS",
    PHASE,
  ),
  "unknown-key": entry(
    "A key of a workflow means nothing",
    "What its author wanted would silently not happen.",
    "agents:\n  tester:\n    timout: 10m",
    "agents:\n  tester:\n    timeout: 10m",
  ),
  "unknown-name": entry(
    "A workflow names something that is not in it",
    "Agents, gates and tasks are named where they are defined, and only those exist.",
    "start: bilder",
    "start: builder",
  ),
  "reserved-name": entry(
    "An agent has a name that means something else",
    "end, return, person and fail are places of routes; complete, none, null and orchestrator are words of handoffs.",
    "agents:\n  end: { ... }",
    "agents:\n  closer: { ... }",
  ),
  "bad-condition": entry(
    "A condition cannot be understood",
    "Names, values, == != < <= > >=, in [..], and, or, not and brackets: nothing else.",
    'when: "open.blocking => 1"',
    'when: "open.blocking >= 1"',
  ),
  "no-route": entry(
    "An outcome leads nowhere",
    "Every outcome of every agent has a route, and the last one of a list has no condition.",
    'routes:\n  done: [{ when: "score >= 8", to: tester }]',
    'routes:\n  done: [{ when: "score >= 8", to: tester }, person]',
  ),
  "no-way-back": entry(
    "A loop does not come back",
    "After a loop the work goes forward again from its target to the agent that asked, so such a way must exist.",
    "needs-fixes: { loop: closer }",
    "needs-fixes: { loop: builder }",
  ),
  "no-way-out": entry(
    "The end cannot be reached from here",
    "Work that comes to this agent could never be finished.",
    "routes: { done: person }",
    "routes: { done: end }",
  ),
  unreachable: entry(
    "Nothing leads here",
    "An agent, a gate or a route that can never be used is a mistake in something else.",
    "done: [end, tester]",
    "done: tester",
  ),
  cycle: entry(
    "Things follow each other in a circle",
    "Tasks would wait for each other, and agents would pass work around without a bound. A loop has one.",
    "builder: { done: tester }, tester: { needs-fixes: builder }",
    "tester: { needs-fixes: { loop: builder } }",
  ),
  "waits-for-ever": entry(
    "A question to a person may wait for ever",
    "Without a timeout nobody is reminded and nothing ends it.",
    "asks: { timeout: none }",
    "asks: { timeout: 24h, silence: remind }",
  ),
  "unsure-budget": entry(
    "A budget cannot be promised",
    "It is refused before the spend, which needs to know what an attempt costs at most.",
    "budget: { money: 10 }",
    "budget: { money: 10 }\nagents:\n  builder:\n    cost: { money: 1 }",
  ),
  "missing-script": entry(
    "A file that an agent runs is not there",
    "Paths start at the root of the repository. With `workspace: worktree` the file must be in the last commit. `baton run` refuses to start when it is certain that the first agent cannot be started. It warns and goes on where another agent has worked before, who may have made the file; where git ignores the file, or cannot tell, for then something makes it; and where a shell looks for it on the PATH, too.",
    "run: { process: [node, agents/bilder.mjs] }",
    "run: { process: [node, agents/builder.mjs] }",
  ),
  "missing-program": entry(
    "A program that an agent or a gate runs is not found, or will not work in the sandbox",
    "It is on no absolute folder of the PATH, or not at the absolute path that is named. That depends on the machine, so `baton check` warns, also with `--strict`, and `baton run` goes on, unless the first agent is started by an absolute path that is not there. A gate runs in the sandbox: the file behind a link, the interpreter of a script, or the folder in which a toolchain keeps its parts may be in your home, where gates do not see it. The hint has the line to add to your list of toolchains.",
    "run: { claude: {} } (Claude Code is not installed)",
    "run: { claude: {}, command: [/opt/claude/bin/claude] }",
  ),
};
