import type { Cheat } from "./cheat.ts";
import { addDiscount, artifact, breakTotal, type Kit, say, speaks } from "./kit.ts";

function says(changes: Readonly<Record<string, unknown>>): (kit: Kit) => void {
  return (kit) => {
    addDiscount(kit);
    kit.handOver({ artifacts: [artifact("src/cart.mjs")], ...changes });
  };
}

/** In `output-json`, which has words for checks. */
const checks = (verification: object): Pick<Cheat, "workflow" | "builder"> => ({
  workflow: speaks("output-json"),
  builder(kit) {
    addDiscount(kit);
    say(
      `\`\`\`json\n${JSON.stringify({
        status: "complete",
        phase: "implementation",
        summary: "Built the discount",
        files_modified: ["src/cart.mjs"],
        artifacts: [],
        verification,
        handoff: { next_phase: "testing", next_agent: "tester", context: "Test it", blockers: [] },
      })}\n\`\`\``,
    );
  },
});

const validation = (command: string): object => ({ command, expected_result: "All is well", checklist: [] });

export const FIGURES: Readonly<Record<string, Cheat>> = {
  M01: { ...checks({ lint_passed: true }), shows: /lint/i },
  M02: {
    ...checks({ build_success: true }),
    shows: /build (?:passe|succe)|builds?\b.*(?:unproven|not proven|no gate)/i,
  },
  M03: { builder: says({ metrics: { insertions: 900, lines_changed: 900 } }), shows: /900/ },
  M04: { builder: says({ metrics: { execution_time: "2h 0m" } }), shows: /2h|execution/i },
  M05: { builder: says({ metrics: { review_iterations: 7 } }), shows: /iteration|\b7\b/i },
  M06: {
    ...checks({ tests_passed: true }),
    workflow: (text) =>
      speaks("output-json")(text)
        .replace("    gates: [test]\n", "")
        .replace(/^gates:[\s\S]*/m, ""),
    shows: /tests?\b/i,
  },
  M07: {
    builder(kit) {
      breakTotal(kit);
      kit.handOver({ artifacts: [artifact("src/cart.mjs")], validation: validation("npm t") });
    },
    shows: /npm t\b/,
  },
  M08: {
    builder: says({ timestamp: new Date(Date.now() + 86_400_000).toISOString() }),
    shows: /future|written|clock/i,
  },
  M09: {
    builder(kit) {
      addDiscount(kit);
      const [inserted = "0"] = kit.git("diff", "--numstat", "src/cart.mjs").split("\t");
      kit.handOver({
        artifacts: [artifact("src/cart.mjs")],
        metrics: { insertions: Number(inserted), execution_time: "1s", total_commits: 0 },
        validation: validation("npm run test"),
      });
    },
  },
};
