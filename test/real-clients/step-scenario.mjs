// What the fake model says to the agents of a run: a handoff in its message or in a file, one that cannot be
// used, or nothing for ever. All that it is asked is kept beside the workspace, in which the server stands.
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const NEXT_MINUTE = 60_000;

/**
 * @typedef {{ role: string, text: string, toolResults: unknown[] }} Message
 * @param {{ messages: Message[], tools: string[], last: Message }} turn
 */
const scenario = async (turn) => {
  const texts = turn.messages.filter((message) => message.role === "user").map((message) => message.text);
  const prompts = texts.filter((text) => /You are (builder|tester)\. /.test(text));
  appendFileSync("../asked.jsonl", `${JSON.stringify({ prompts, tools: turn.tools })}\n`);
  const prompt = prompts.at(-1) ?? "";
  const name = /You are (builder|tester)\. /.exec(prompt)?.[1] ?? "nobody";
  // Titles of sessions and the like are asked for without tools.
  if (turn.tools.length === 0) return [{ text: "a title" }];

  const isFirst = prompt.includes("You are the first");
  if (prompt.includes("Never answer") || (prompt.includes("Answer when asked again") && isFirst)) {
    await new Promise(() => undefined);
  }
  if (prompt.includes("Answer in the next minute")) {
    await new Promise((resolve) => setTimeout(resolve, NEXT_MINUTE - (Date.now() % NEXT_MINUTE) + 1000));
  }
  if (prompt.includes("Forget the time")) return [{ text: inMessage({ ...OUTPUT, agent: name, timestamp: "soon" }) }];
  if (!prompt.includes("Use your tools")) return [{ text: inMessage({ ...OUTPUT, agent: name }) }];
  const used = turn.messages.filter((message) => message.toolResults.length > 0).length;
  if (used === 0) return [readWith(turn.tools, "notes.txt")];
  if (used > 1) return [{ text: "It is written." }];
  return [writeWith(turn.tools, `handoff-${name}.json`, JSON.stringify({ ...PIPELINE, from_agent: name }))];
};
// oxlint-disable-next-line import/no-default-export -- the fake model server asks for it
export default scenario;

/**
 * Each client has a tool of its own to write a file with.
 *
 * @param {string[]} tools @param {string} file @param {string} text
 */
function writeWith(tools, file, text) {
  const path = join(process.cwd(), file);
  const calls = [
    { tool: "Write", input: { file_path: path, content: text } },
    { tool: "write_file", input: { file_path: path, content: text } },
    { tool: "write", input: { filePath: path, content: text } },
    { tool: "create", input: { path, file_text: text } },
    { tool: "exec_command", input: { cmd: `printf %s '${text}' > ${file}` } },
  ];
  const call = calls.find(({ tool }) => tools.includes(tool));
  if (call === undefined) throw new Error(`no tool to write with: ${tools.join(", ")}`);
  return call;
}

/** @param {string[]} tools @param {string} file */
function readWith(tools, file) {
  const path = join(process.cwd(), file);
  const calls = [
    { tool: "Read", input: { file_path: path } },
    { tool: "read_file", input: { file_path: path } },
    { tool: "read", input: { filePath: path } },
    { tool: "view", input: { path } },
    { tool: "exec_command", input: { cmd: `cat ${file}` } },
  ];
  const call = calls.find(({ tool }) => tools.includes(tool));
  if (call === undefined) throw new Error(`no tool to read with: ${tools.join(", ")}`);
  return call;
}

/** @param {object} output */
function inMessage(output) {
  return `It is built.\n\n## Metadata\n\n\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\`\n`;
}

const OUTPUT = {
  agent: "",
  output_type: "implementation",
  timestamp: "2026-03-09T14:05:00Z",
  feature_directory: ".output/features/2026-03-09-gift-cards",
  skills_invoked: [],
  library_skills_read: [],
  source_files_verified: ["src/cart/total.ts:1-120"],
  status: "complete",
};

const PIPELINE = {
  from_agent: "",
  to_agent: "COMPLETE",
  timestamp: "2026-03-09T14:05:00.000Z",
  status: "PASS",
  iteration: 1,
  loop_required: false,
  loop_target: null,
  loop_reason: null,
  artifacts: [],
  context: {},
  validation: { command: "npm test", expected_result: "all pass", checklist: ["Totals are exact"] },
};
