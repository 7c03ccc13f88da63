// The agent of every recorded history: what it does follows from its name, the round and the task alone.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const { BATON_AGENT: me, BATON_TASK: task, BATON_REASON: reason } = process.env;
const round = Number(process.env.BATON_ITERATION);
const prompt = readFileSync(0, "utf8");
const at = new Date().toISOString();

/** Waits for a file, where the history was cut off: the attempt that goes on finds it. */
async function until(file) {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 50));
}

function pipeline(changes = {}) {
  const handoff = {
    from_agent: me,
    to_agent: "COMPLETE",
    timestamp: at,
    status: "PASS",
    iteration: round,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    artifacts: [],
    context: { note: `round ${round}` },
    test_requirements: { coverage: 90, critical_paths: ["total"], edge_cases_to_test: [] },
    validation: { command: "node --test", expected_result: "passes", checklist: ["the total is right"] },
    ...changes,
  };
  writeFileSync(`handoff-${me}.json`, JSON.stringify(handoff));
}

function bug(id, location) {
  return {
    id,
    severity: "high",
    category: "bug",
    location,
    description: `${id}: an empty cart costs nothing`,
    remediation: "Return 0",
    status: "open",
  };
}

function taskYaml(lines) {
  console.log(["Done.", "", "## Handoff", "", "```yaml", ...lines, "```"].join("\n"));
}

function phase(name, to, status, more = []) {
  const lines = [
    "handoff:",
    `  phase: ${name}`,
    `  from: "@${me}"`,
    `  to: "${to === "None" ? to : `@${to}`}"`,
    `  status: ${status}`,
  ];
  console.log(
    ["Done.", "", "```yaml", ...lines, `  timestamp: "${at}"`, ...more.map((line) => `  ${line}`), "```"].join("\n"),
  );
}

const AGENTS = {
  builder() {
    writeFileSync("src/cart.mjs", `export const total = (items) => items.length + ${round} - ${round};\n`);
    const file = { type: "source_file", path: "src/cart.mjs", purpose: "Adds up a cart", priority: "high" };
    const ghost = { ...file, path: "src/ghost.mjs" };
    const issues = [...prompt.matchAll(/"id": "(BUG-\d+)"/g)].map(([, id]) => id);
    pipeline({
      to_agent: "tester",
      artifacts: reason === "repair" || round > 1 ? [file] : [file, ghost],
      issues_resolved: [...new Set(issues)],
    });
  },
  async tester() {
    if (round > 1 && existsSync("wait")) await until("go");
    if (round > 1) return pipeline({ to_agent: "nobody-knows" });
    pipeline({
      to_agent: "builder",
      status: "FAIL",
      loop_required: true,
      loop_target: "builder",
      loop_reason: "BUGS_FOUND_IN_TESTS",
      issues: [bug("BUG-1", "src/cart.mjs:1"), { ...bug("BUG-2", "src/cart.mjs:1"), severity: "low" }],
    });
  },
  async worker() {
    if (existsSync("wait")) await until("go");
    taskYaml([
      "outcome: completed",
      `summary: ${task} is done`,
      "decisions:",
      `  - Cents are whole numbers in ${task}`,
      "patterns:",
      "  - pattern: Money is counted in whole cents",
      "    location: src/cart.mjs",
      "    applies_to: [money]",
    ]);
  },
  reviewer() {
    taskYaml(["outcome: completed", `summary: ${task} was reviewed`]);
  },
  planner() {
    phase("Planning", "deployer", "complete", ["context:", "  branch: main"]);
  },
  deployer() {
    phase("Infrastructure", "None", "complete");
  },
  fixer() {
    if (!existsSync("mended")) {
      console.error("the disk of the build machine is missing");
      process.exitCode = 7;
      return;
    }
    phase("Implementation", "None", "complete");
  },
  lead() {
    const isBack = reason === "return";
    phase(isBack ? "Complete" : "Planning", isBack ? "None" : "research-agent", "complete");
  },
  "research-agent"() {
    if (reason === "return" || reason === "unblock") return phase("Research", "None", "complete");
    phase("Research", "None", "blocked", ["blocked_reason: dependency", "attempted:", "  - Asked the registry"]);
  },
  "unblock-agent"() {
    phase("Research", "None", "complete");
  },
  "gate-builder"() {
    pipeline({ to_agent: "COMPLETE", artifacts: [] });
  },
};

await AGENTS[me]();
