// Baton for OpenCode. OpenCode cannot hold an agent up: when a subagent has ended with a handoff that is missing,
// invalid or untrue, its parent is told so in the result of the tool `task`, and can call it again. The main agent is
// not checked here; a run that Baton drives checks it (`run: { acp: [opencode, acp] }`).
import { spawn } from "node:child_process";

const LAUNCHER = "{{launcher}}";
const COMMANDS = "{{commands}}";
const MAX_TIME = 30_000;

/** What `baton hook` answers; an empty answer lets everything go on. */
function hook(event, directory, fields) {
  return new Promise((resolve) => {
    const args = ["-c", LAUNCHER, "/", "hook", event, "--client", "opencode"];
    const child = spawn("sh", args, { cwd: directory, stdio: ["pipe", "pipe", "ignore"], timeout: MAX_TIME });
    let output = "";
    child.stdout.on("data", (part) => (output += part));
    child.on("error", () => resolve({}));
    child.on("close", () => resolve(read(output)));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify({ hook_event_name: event, cwd: directory, ...fields }));
  });
}

function read(output) {
  try {
    const answer = JSON.parse(output);
    return typeof answer === "object" && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

export const Baton = async ({ directory }) => {
  /** What the agents of a session are told when they start. */
  const context = new Map();
  return {
    config: async (config) => {
      config.mcp = { baton: { type: "local", command: ["sh", "-c", LAUNCHER, "/", "mcp"] }, ...config.mcp };
      config.command = { ...COMMANDS, ...config.command };
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n");
      const answer = await hook("UserPromptSubmit", directory, { session_id: sessionID, prompt });
      const given = answer.hookSpecificOutput?.additionalContext;
      if (typeof given === "string") context.set(sessionID, given);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const given = context.get(sessionID);
      if (given !== undefined) system.push(given);
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (tool !== "task") return;
      const type = String(args?.subagent_type ?? output.metadata?.subagent_type ?? "");
      // Each call has an id of its own: the type is what stays the same when the parent calls it again.
      const agent = { agent_type: type, agent_id: type };
      const ended = { session_id: sessionID, ...agent, last_assistant_message: String(output.output ?? "") };
      const { decision, reason } = await hook("SubagentStop", directory, ended);
      if (decision === "block") output.output = `${output.output}\n\n${reason}`;
    },
  };
};
