// Documents the change with an example that it runs first. It lists a page that it has not written: the list is
// compared with the repository, the handoff comes back with the evidence, and it writes the page.
import { commit, handOver, isRepair, run, write } from "./kit.mjs";

const GUIDE = "docs/discount.md";
const CHANGES = "docs/CHANGES.md";
const EXAMPLE = `import { discounted } from "./src/discount.mjs";

console.log(discounted([{ price: 200, quantity: 2 }], 25));`;

if (isRepair) writeChanges();
else writeGuide();
handOver("COMPLETE", {
  artifacts: [
    { type: "documentation", path: GUIDE, purpose: "How to use discounts", priority: "medium" },
    { type: "documentation", path: CHANGES, purpose: "What is new", priority: "low" },
  ],
  validation: { command: `cat ${GUIDE}`, expected_result: "An example that runs", checklist: ["The example was run"] },
});

function writeGuide() {
  const { passed, output } = run("node", "--input-type=module", "--eval", EXAMPLE);
  if (!passed) throw new Error("the example in the documentation does not run");
  write(
    GUIDE,
    `# Discounts

\`discounted(lines, percent)\` gives what is to be paid, in whole cents. A percentage below 0 or above 100 is refused.

\`\`\`js
${EXAMPLE} // ${output.trim()}
\`\`\`
`,
  );
  commit("Document the discount", GUIDE);
}

function writeChanges() {
  write(CHANGES, "# Changes\n\n- A discount in percent can be taken off a cart.\n");
  commit("Say what is new", CHANGES);
}
