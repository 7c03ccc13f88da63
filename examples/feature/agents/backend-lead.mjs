// Designs the backend part and says why.
import { handOver, run } from "./kit.mjs";

const patterns = run("git", "grep", "--line-number", "new Map", "--", "src").output.trim();
handOver(
  "architecture.md",
  `# Architecture

What is in use: \`${patterns}\`

- Tokens are kept in a Map, as users are.
- \`issue(address, now)\` makes one, \`redeem(token, now)\` gives the address once. The time comes from outside: tests need no clock.`,
  {
    phase: "architecture",
    summary: "Two functions, issue and redeem, over a Map of tokens that work for one hour",
    verification: { patterns_referenced: true, decisions_documented: true, rationale_provided: true },
    handoff: {
      next_phase: "implementation",
      next_agent: "backend-developer",
      context: "Write src/tokens.mjs as in architecture.md. Tokens work once and for one hour.",
      blockers: [],
    },
  },
  "Design reset tokens",
);
