// Finds out what the others need to know. It has patterns and traps to tell, so it speaks task-yaml.
import { commit, run, write } from "./kit.mjs";

const FILE = "docs/research.md";
const users = run("git", "grep", "--name-only", "slug", "--", "src").output.trim();
write(
  FILE,
  `# Slugs\n\nUsed in: ${users}\n\n- lower case, words joined by hyphens\n- accents: \`normalize("NFD")\` splits them off\n`,
);
commit("Write down what is known about slugs", FILE);

console.log(`Slugs are used in ${users}.

## Handoff

\`\`\`yaml
outcome: completed
files_created:
  - path: ${FILE}
    purpose: What the others need to know about slugs
    lines: all
patterns_discovered:
  - pattern: A slug is lower case, with words joined by hyphens
    location: ${FILE}
    applies_to: [slugs]
gotchas:
  - issue: Letters with accents are lost when only a to z are kept
    discovered_in: Reading about Unicode
    mitigation: Normalise to NFD and drop the accents first
    severity: high
\`\`\``);
