// Implements the design. It is blocked by a security concern first; after a loop it mends what the tests found.
import { existsSync, readFileSync } from "node:fs";
import { FEATURE, handOver, reason, write } from "./kit.mjs";

const FILE = "src/tokens.mjs";
if (!existsSync(`${FEATURE}/security-assessment.md`)) askForHelp();
else if (reason === "loop") mend();
else implement();

function askForHelp() {
  handOver(
    "implementation.md",
    "# Implementation\n\nNothing yet: how a token is made must be decided first.",
    {
      phase: "implementation",
      status: "blocked",
      blocked_reason: "security_concern",
      attempted: ["Math.random(): it can be guessed"],
      summary: "The design does not say how tokens are made so that nobody can guess them",
      files_modified: [],
      handoff: {
        next_phase: "testing",
        next_agent: null,
        context: "Decide how a token is made.",
        blockers: [
          {
            type: "technical_limitation",
            description: "Tokens must not be guessable",
            resolution: "Decide where their randomness comes from",
          },
        ],
      },
    },
    "Ask how tokens are made",
  );
}

function implement() {
  // As the design says, with the advice on security. But a token is not taken away when it is used.
  write(
    FILE,
    `import { randomBytes } from "node:crypto";

const HOUR = 3_600_000;
const tokens = new Map();

export function issue(address, now) {
  const token = randomBytes(32).toString("hex");
  tokens.set(token, { address, until: now + HOUR });
  return token;
}

/** The address it was issued for; null when it does not work. */
export function redeem(token, now) {
  const found = tokens.get(token);
  return found === undefined || now >= found.until ? null : found.address;
}
`,
  );
  done("Implement reset tokens");
}

function mend() {
  const code = readFileSync(FILE, "utf8");
  write(FILE, code.replace("tokens.get(token);\n", "tokens.get(token);\n  tokens.delete(token);\n"));
  done("Take a token away when it is used");
}

function done(message) {
  handOver(
    "implementation.md",
    `# Implementation\n\n${message}: \`${FILE}\`.`,
    {
      phase: "implementation",
      summary: `${message} in ${FILE} with 2 functions`,
      files_modified: [FILE],
      verification: { build_success: true },
      handoff: {
        next_phase: "testing",
        next_agent: "backend-tester",
        context: `Test ${FILE}: a token works once, for one hour, and only when it was issued.`,
        blockers: [],
      },
    },
    message,
  );
}
