// Judges the concern and decides.
import { handOver, run } from "./kit.mjs";

const weak = run("git", "grep", "--line-number", "Math.random", "--", "src").output.trim();
handOver(
  "security-assessment.md",
  `# Security assessment

Weak randomness in the source now: ${weak === "" ? "none" : weak}

Tokens are 32 bytes of \`crypto.randomBytes\`, as hex.`,
  {
    phase: "implementation",
    summary: "Tokens are 32 bytes of crypto.randomBytes: 256 bits cannot be guessed",
    files_modified: [],
    handoff: {
      next_phase: "testing",
      next_agent: "backend-developer",
      context: "Use crypto.randomBytes(32).toString('hex').",
      blockers: [],
    },
  },
  "Decide how tokens are made",
);
