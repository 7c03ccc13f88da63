// What the fake model says in tests of the plugin: first no handoff, then an invalid one, then a valid one. Told to
// delegate, it calls a subagent in the way of its client, which says the same.
import { appendFileSync } from "node:fs";

const VALID = "Done.\n\n## Handoff\n\n```yaml\noutcome: completed\n```\n";
const INVALID = "Done.\n\n## Handoff\n\n```yaml\noutcome: finished with luck\n```\n";
const SAID = ["All done.", INVALID, VALID];

/**
 * @typedef {{ name: string }} Call
 * @typedef {{ role: string, text: string, toolCalls: Call[] }} Message
 * @param {{ tools: string[], messages: Message[] }} turn
 */
const scenario = async ({ tools, messages }) => {
  // The server stands in the workspace.
  for (const [told] of JSON.stringify(messages).matchAll(/Baton sends you back: you[^.,]*/g))
    appendFileSync("../told.txt", `${told}\n`);
  const calls = messages.flatMap(({ toolCalls }) => toolCalls);
  const answers = messages.filter(({ role, text }) => role === "assistant" && text !== "").length;
  const [, before] = /You are the helper, asked (\d) times before/.exec(JSON.stringify(messages[0] ?? "")) ?? [];
  if (tools.includes("complete_task")) {
    const given = calls.filter(({ name }) => name === "complete_task").length;
    return [{ tool: "complete_task", input: { result: said(given) } }];
  }
  if (before !== undefined) return [{ text: said(answers + Number(before)) }];
  if (!JSON.stringify(messages).includes("Delegate it")) return [{ text: said(answers) }];
  const delegated = calls.filter(({ name }) => /^(?:Agent|task|spawn_agent|helper|invoke_agent)$/.test(name)).length;
  const isSentBack = JSON.stringify(messages.at(-1)).includes("Baton sends you back") && calls.length < 4;
  if (delegated > 0 && !isSentBack) return [{ text: VALID }];
  const prompt = `You are the helper, asked ${delegated} times before.`;
  if (tools.includes("Agent"))
    return [
      {
        tool: "Agent",
        input: { description: "help", prompt, subagent_type: "general-purpose", run_in_background: false },
      },
    ];
  if (tools.includes("task"))
    return [
      {
        tool: "task",
        input: { description: "help", name: "help", prompt, subagent_type: "general", agent_type: "general-purpose" },
      },
    ];
  if (tools.includes("helper")) return [{ tool: "helper", input: { objective: prompt, query: prompt } }];
  return [{ tool: "invoke_agent", input: { agent_name: "helper", prompt } }];
};

/** @param {number} times */
function said(times) {
  return SAID[Math.min(times, 2)];
}
// oxlint-disable-next-line import/no-default-export -- the fake model server asks for it
export default scenario;
