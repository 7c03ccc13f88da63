// Documents the change with an example that it runs first.
import { commit, handOver, run, write } from "./kit.mjs";

const FILE = "docs/discount.md";
const EXAMPLE = `import { discounted } from "./src/discount.mjs";

console.log(discounted([{ price: 200, quantity: 2 }], 25));`;

const { passed, output } = run("node", "--input-type=module", "--eval", EXAMPLE);
if (!passed) throw new Error("the example in the documentation does not run");

write(
  FILE,
  `# Discounts

\`discounted(lines, percent)\` gives what is to be paid, in whole cents. A percentage below 0 or above 100 is refused.

\`\`\`js
${EXAMPLE} // ${output.trim()}
\`\`\`
`,
);
commit("Document the discount", FILE);
handOver("COMPLETE", {
  artifacts: [{ type: "documentation", path: FILE, purpose: "How to use discounts", priority: "medium" }],
  validation: { command: `cat ${FILE}`, expected_result: "An example that runs", checklist: ["The example was run"] },
});
