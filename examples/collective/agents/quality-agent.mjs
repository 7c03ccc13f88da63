// Looks at the whole. It writes an output file with metadata at its end: output-json.
import { readFileSync } from "node:fs";
import { commit, run, write } from "./kit.mjs";

const FILE = "docs/quality.md";
const source = readFileSync("src/slug.mjs", "utf8");
const hasComment = source.includes("/**");
const isClean = run("git", "status", "--porcelain").output === "";

const metadata = {
  agent: "quality-agent",
  output_type: "quality-review",
  timestamp: new Date().toISOString(),
  feature_directory: "docs",
  skills_invoked: [],
  library_skills_read: [],
  source_files_verified: [`src/slug.mjs:1-${source.trimEnd().split("\n").length}`],
  status: "complete",
};
const text = `# Quality

- says what it does: ${hasComment ? "yes" : "no"}
- everything is committed: ${isClean ? "yes" : "no"}

---

## Metadata

\`\`\`json
${JSON.stringify(metadata, null, 2)}
\`\`\`
`;
write(FILE, text);
commit("Check the quality", FILE);
console.log(text);
