// What the fake model says in tests of the plugin. Each agent is asked with a plan (`plan.ts`): it calls tools, starts
// other agents, and then says one thing after the other, each time that it is asked. All that it is asked is kept
// beside the workspace, in which the server stands.
import { appendFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ name: string, input: unknown }} Call
 * @typedef {{ role: string, text: string, toolCalls: Call[], toolResults: { text: string }[] }} Message
 * @typedef {import("./plan.ts").Plan} Plan
 * @typedef {{ text: string } | { tool: string, input: object }} Part
 * @param {{ system: string, tools: string[], messages: Message[] }} turn
 * @returns {Promise<Part[]>}
 */
const scenario = async ({ system, tools, messages }) => {
  const asked = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  const [, found] = /PLAN(\{.*?\})NALP/s.exec(asked.join("\n")) ?? [];
  // OpenCode escapes an argument that has spaces in it.
  const text = found?.startsWith('{\\"') ? found.replaceAll('\\"', '"') : found;
  // Titles of sessions and the like are asked for without tools.
  if (text === undefined || tools.length === 0) return [{ text: "a title" }];
  appendFileSync("../asked.jsonl", `${JSON.stringify({ plan: JSON.parse(text), system, tools, messages })}\n`);
  return [nextPart(JSON.parse(text), tools, messages)];
};
// oxlint-disable-next-line import/no-default-export -- the fake model server asks for it
export default scenario;

/**
 * @param {Plan} plan @param {string[]} tools @param {Message[]} messages
 * @returns {Part}
 */
function nextPart(plan, tools, messages) {
  const calls = messages.flatMap(({ toolCalls }) => toolCalls);
  const own = calls.find(({ name }) => name.endsWith(plan.tools?.[0]?.name ?? "none"));
  const open =
    own === undefined ? 0 : calls.filter(({ name }) => plan.tools?.some((one) => name.endsWith(one.name))).length;
  const wanted = plan.tools?.[open];
  if (wanted !== undefined) return { tool: toolOf(tools, wanted.name), input: wanted.input };
  if (plan.start !== undefined) {
    const started = calls.filter(({ name }) => STARTS.test(name)).length;
    const isToldSo = JSON.stringify(messages.at(-1)).includes("Baton sends you back");
    if (started === 0 || (plan.retries && isToldSo && started < 5)) return start(plan, tools, started);
    const lingered = calls.filter(({ name }) => WAITS.test(name)).length;
    if (plan.how !== "leave" && lingered < started) {
      const wait = waitFor(plan, tools, messages);
      if (wait !== null) return wait;
    }
  }
  return say(plan, tools, messages, calls);
}

const STARTS = /^(?:Agent|Workflow|task|invoke_agent|.*spawn_agent)$/;
const WAITS = /^(?:.*wait_agent|exec_command|bash)$/;

/**
 * @param {Plan} plan @param {string[]} tools @param {Message[]} messages @param {Call[]} calls
 * @returns {Part}
 */
function say({ says = ["nothing to hand over"] }, tools, messages, calls) {
  const byTool = calls.filter(({ name }) => name === "complete_task").length;
  const answers = messages.filter(
    ({ role, text, toolCalls }) => role === "assistant" && text !== "" && toolCalls.length === 0,
  );
  const said = tools.includes("complete_task") ? byTool : answers.length;
  const what = says[Math.min(said, says.length - 1)] ?? "";
  if (typeof what === "object") return { tool: "StructuredOutput", input: what };
  const isMade = calls.some(
    ({ name, input }) => name !== "complete_task" && JSON.stringify(input).includes("made.txt"),
  );
  if (what.startsWith("make it")) return isMade ? handOver(tools, what.slice("make it".length)) : write(tools);
  return handOver(tools, what);
}

/** @param {string[]} tools @param {string} text @returns {Part} */
function handOver(tools, text) {
  return tools.includes("complete_task") ? { tool: "complete_task", input: { result: text } } : { text };
}

/**
 * Each client has a way of its own to start an agent. Where the parent is told what is wrong, it starts another one
 * that goes on with the plan of the first.
 *
 * @param {Plan} plan @param {string[]} tools @param {number} started @returns {Part}
 */
function start({ start: of, how, type }, tools, started) {
  const plans = (Array.isArray(of) ? of : [of]).map((plan) => ({
    ...plan,
    says: plan?.says?.slice(Math.min(started, plan.says.length - 1)),
  }));
  const prompts = plans.map((plan) => `PLAN${JSON.stringify(plan)}NALP`);
  const [prompt = ""] = prompts;
  if (how === "workflow" || how === "schema") return { tool: "Workflow", input: { script: workflow(prompts, how) } };
  const isLeft = how === "background" || how === "leave";
  /** @type {{ tool: string, input: object }[]} */
  const ways = [
    {
      tool: "Agent",
      input: {
        description: "help",
        prompt,
        subagent_type: type ?? "general-purpose",
        ...(!isLeft && { run_in_background: false }),
      },
    },
    { tool: "spawn_agent", input: { message: prompt } },
    {
      tool: "task",
      input: {
        description: "help",
        name: "helper",
        prompt,
        subagent_type: "general",
        agent_type: "general-purpose",
        ...(isLeft ? { mode: "background", background: true } : { mode: "sync" }),
      },
    },
    { tool: "invoke_agent", input: { agent_name: "helper", prompt } },
  ];
  const way = ways.find(({ tool }) => tools.some((name) => name.endsWith(tool)));
  if (way === undefined) return { text: "There is no tool to start an agent with." };
  return { tool: toolOf(tools, way.tool), input: way.input };
}

/** @param {string[]} prompts @param {"workflow" | "schema"} how */
function workflow(prompts, how) {
  const schema = how === "schema" ? ", schema: { type: 'object' }" : "";
  return [
    "export const meta = { name: 'try', description: 'a try', phases: [{ title: 'Go' }] }",
    "phase('Go')",
    ...prompts.map((prompt, at) => `await agent(${JSON.stringify(prompt)}, { label: 'a${at}', phase: 'Go'${schema} })`),
    "return { done: true }",
  ].join("\n");
}

/**
 * What keeps the parent at work until the agent that it has started has ended; null where it waits by itself.
 *
 * @param {Plan} plan @param {string[]} tools @param {Message[]} messages @returns {Part | null}
 */
function waitFor({ how }, tools, messages) {
  const wait = tools.find((name) => name.endsWith("wait_agent"));
  if (wait !== undefined && how !== "background") {
    const told = messages.flatMap(({ toolResults }) => toolResults).map(({ text }) => text);
    const [, id = ""] = /"agent_id":\s*"([^"]+)"/.exec(told.join("\n")) ?? [];
    return { tool: wait, input: { targets: [id], timeout_ms: 60_000 } };
  }
  if (how !== "background") return null;
  if (wait !== undefined) return { tool: "exec_command", input: { cmd: "sleep 8", yield_time_ms: 10_000 } };
  return tools.includes("baton_validate_handoff")
    ? { tool: "bash", input: { command: "sleep 5", description: "wait" } }
    : null;
}

/** @param {string[]} tools @returns {Part} */
function write(tools) {
  const path = join(process.cwd(), "made.txt");
  const ways = [
    { tool: "Write", input: { file_path: path, content: "made\n" } },
    { tool: "write_file", input: { file_path: path, content: "made\n" } },
    { tool: "write", input: { filePath: path, content: "made\n" } },
    { tool: "create", input: { path, file_text: "made\n" } },
    { tool: "exec_command", input: { cmd: "echo made > made.txt" } },
  ];
  const way = ways.find(({ tool }) => tools.includes(tool));
  if (way === undefined) throw new Error(`no tool to write with: ${tools.join(", ")}`);
  return way;
}

/**
 * Clients put the name of the server before that of the tool.
 *
 * @param {string[]} tools @param {string} name
 */
function toolOf(tools, name) {
  return tools.find((one) => one.endsWith(name)) ?? name;
}
