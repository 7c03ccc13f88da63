// Two agents as functions. Each is called in a process of its own, with its prompt and the folder it works in.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** @param {{ workspace: string }} job */
export async function write({ workspace }) {
  await writeFile(join(workspace, "greeting.txt"), "Good morning\n");
  return handoff("greeting.txt");
}

/** @param {{ workspace: string }} job */
export async function review({ workspace }) {
  const text = await readFile(join(workspace, "greeting.txt"), "utf8");
  return `## Handoff\n\n\`\`\`yaml\noutcome: ${text.trim() === "" ? "failed" : "completed"}\n\`\`\`\n`;
}

/** @param {string} path */
export function handoff(path) {
  return `## Handoff

\`\`\`yaml
outcome: completed
files_created:
  - path: ${path}
    purpose: Says good morning
    lines: 1-1
\`\`\`
`;
}
