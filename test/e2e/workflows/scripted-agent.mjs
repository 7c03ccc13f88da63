// An agent of the pipeline that does hardly any work and behaves as behaviour.json says: well, unless it is named there.
import { execSync, spawn } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const me = process.env["BATON_AGENT"] ?? "";
const reason = process.env["BATON_REASON"] ?? "";
const round = Number(process.env["BATON_ITERATION"]);
const prompt = readFileSync(0, "utf8");
/** @type {Record<string, string>} */
const behaviours = JSON.parse(readFileSync("behaviour.json", "utf8"));

const ORDER = ["BackendBuilder", "TestAgent", "CodeReviewer", "SecurityScanner", "DocumentationDynamo", "COMPLETE"];
const next = ORDER[ORDER.indexOf(me) + 1];

/** Ids that the prompt tells; they are claimed to be fixed. */
function issuesToFix() {
  const section = prompt.split("## Issues to fix")[1]?.split(">>>")[0] ?? "";
  return [...section.matchAll(/"id": "([^"]+)"/g)].map(([, id]) => id);
}

/** @param {Record<string, unknown>} changes */
function handoffWith(changes = {}) {
  return {
    from_agent: me,
    to_agent: next,
    timestamp: new Date().toISOString(),
    status: "PASS",
    iteration: round,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    artifacts: [],
    context: {},
    ...(me === "TestAgent" && { metrics: { test_coverage: 95 } }),
    test_requirements: { coverage: 90, critical_paths: [], edge_cases_to_test: [] },
    validation: { command: "npm test", expected_result: "passes", checklist: [] },
    ...changes,
  };
}

/** @param {Record<string, unknown>} changes */
function handOver(changes = {}) {
  writeFileSync(`handoff-${me}.json`, JSON.stringify(handoffWith(changes)));
}

const GHOST = { type: "source_file", path: "src/ghost.mjs", purpose: "Is not there", priority: "high" };

/** @type {Record<string, () => void>} */
const BEHAVIOURS = {
  good() {
    const ids = issuesToFix();
    if (ids.length === 0) return handOver();
    // Nothing is resolved without a change.
    const path = `mended-${me}-${round}.txt`;
    writeFileSync(path, ids.join());
    handOver({ issues_resolved: ids, artifacts: [{ type: "source_file", path, purpose: "Mends", priority: "high" }] });
  },
  slow: () => setTimeout(handOver, 1500),
  "prints more than is read": () => console.log(`${JSON.stringify(handoffWith())}\n${"words\n".repeat(200_000)}`),
  "prints it without a fence": () => console.log(`All is done.\n\n${JSON.stringify(handoffWith(), null, 2)}`),
  "speaks two formats"() {
    const other = 'handoff:\n  phase: Testing\n  from: "@a"\n  to: "None"\n  status: failed\n';
    console.log(`\`\`\`json\n${JSON.stringify(handoffWith())}\n\`\`\`\n\n\`\`\`yaml\n${other}\`\`\``);
  },
  hangs() {
    // With a child that hangs as well, and neither listens to a polite request.
    process.on("SIGTERM", () => undefined);
    spawn(process.execPath, ["-e", "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000)"]);
    setInterval(() => undefined, 1000);
  },
  floods() {
    const line = `${"x".repeat(1000)}\n`;
    const flood = () => {
      while (process.stdout.write(line));
      process.stdout.once("drain", flood);
    };
    flood();
  },
  crashes() {
    console.error("something broke");
    process.exitCode = 7;
  },
  "says nothing": () => undefined,
  "invalid at first": () => handOver(reason === "repair" ? {} : { status: "fine", iteration: 0 }),
  "claims to be another": () => handOver({ from_agent: "CodeReviewer" }),
  "lists a file it has not written, at first": () => handOver({ artifacts: reason === "repair" ? [] : [GHOST] }),
  "lists a file it has not written, always": () => handOver({ artifacts: [GHOST] }),
  "takes the repository away": () => {
    renameSync(".git", ".gone");
    handOver({ artifacts: [GHOST] });
  },
  "names a commit that is not there, at first": () =>
    console.log(`<handoff><from>test-agent</from><to>code-reviewer</to><timestamp>${new Date().toISOString()}</timestamp>
<issue_number>7</issue_number><status>success</status><summary>Committed</summary><data>
<coverage>95%</coverage>
${reason === "repair" ? "" : '<commits><commit sha="0123456789abcdef0123456789abcdef01234567">Mend it</commit></commits>'}
</data></handoff>`),
  "names a stranger": () => handOver({ to_agent: "DeploymentDragon" }),
  "asks for 1e9 retries": () =>
    console.log(`\`\`\`yaml
handoff:
  phase: Testing
  from: "@TestAgent"
  to: "@BackendBuilder"
  status: failed
  on_failure:
    retry: 1000000000
    escalate_after: 1000000000
\`\`\``),
  "fails without a word": () =>
    console.log('```yaml\nhandoff:\n  phase: Testing\n  from: "@TestAgent"\n  to: "None"\n  status: failed\n```'),
  "asks a question": () =>
    console.log(`## Handoff

\`\`\`yaml
outcome: completed
open_questions:
  - question: Which currency?
    context: The cart does not say
    recommendation: Euros
    blocking: true
\`\`\``),
  "keeps what it is told": () => {
    writeFileSync("told.txt", prompt);
    handOver({ artifacts: [{ type: "source_file", path: "told.txt", purpose: "What it was told", priority: "high" }] });
  },
  "loops for ever": () => demandLoop(`problem ${process.pid}`, 100 * round),
  "finds the same again": () => demandLoop("the same problem"),
};

/** @param {string} description @param {number} line */
function demandLoop(description, line = 1) {
  handOver({
    to_agent: "BackendBuilder",
    status: "FAIL",
    loop_required: true,
    loop_target: "BackendBuilder",
    loop_reason: "BUGS_FOUND_IN_TESTS",
    issues: [
      {
        id: `BUG-${process.pid}`,
        severity: "high",
        category: "bug",
        location: `src/cart.mjs:${line}`,
        description,
        remediation: "Fix it",
        status: "open",
      },
    ],
  });
}

const behaviour = behaviours[me] ?? "good";
const [, line] = /^runs: (.+)$/.exec(behaviour) ?? [];
if (line === undefined) BEHAVIOURS[behaviour]?.();
else {
  // Once, not again when the handoff is repaired.
  if (reason !== "repair") execSync(line, { stdio: "inherit" });
  handOver();
}
