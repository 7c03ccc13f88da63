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

export const Baton = async ({ directory, client }) => {
  /** What the agents of a session are told when they start. */
  const context = new Map();
  /** The session of the person for each session; subagents have sessions of their own. */
  const roots = new Map();
  /** The type of the agent of each session. */
  const types = new Map();
  let isStarted = false;

  async function rootOf(sessionID) {
    const known = roots.get(sessionID);
    if (known !== undefined) return known;
    const parent = await parentOf(sessionID);
    const root = parent === undefined ? sessionID : await rootOf(parent);
    roots.set(sessionID, root);
    return root;
  }

  async function parentOf(sessionID) {
    try {
      const { data } = await client.session.get({ path: { id: sessionID } });
      return data?.parentID;
    } catch {
      return undefined;
    }
  }

  /** To the person; a model would take it for something to do. */
  async function show(message) {
    if (typeof message !== "string") return;
    await client.tui.showToast({ body: { title: "Baton", message, variant: "warning" } }).catch(() => undefined);
    await client.app.log({ body: { service: "baton", level: "warn", message } }).catch(() => undefined);
  }

  /** What a subagent has ended with; where that is wrong, with what its parent is told. */
  async function judge(sessionID, type, text) {
    const ended = { session_id: await rootOf(sessionID), ...agentOf(type, sessionID), last_assistant_message: text };
    const { decision, reason, systemMessage } = await hook("SubagentStop", directory, ended);
    await show(systemMessage);
    return decision === "block" ? `${text}\n\n${reason}` : text;
  }

  return {
    config: async (config) => {
      config.mcp = { baton: { type: "local", command: ["sh", "-c", LAUNCHER, "/", "mcp"] }, ...config.mcp };
      config.command = { ...COMMANDS, ...config.command };
    },
    "chat.message": async ({ sessionID, agent }, { parts }) => {
      const root = await rootOf(sessionID);
      types.set(sessionID, agent);
      if (!isStarted) {
        isStarted = true;
        await show((await hook("SessionStart", directory, {})).systemMessage);
      }
      const texts = parts.filter(({ type }) => type === "text");
      // A subagent in the background has ended: its parent is told in a message that no person has written.
      for (const part of texts.filter(({ synthetic }) => synthetic)) {
        const [, child] = /^<task id="([^"]*)" state="completed">/.exec(part.text) ?? [];
        if (child !== undefined) part.text = await judge(sessionID, types.get(child), part.text);
      }
      const written = texts.filter(({ synthetic }) => !synthetic);
      if (written.length === 0) return;
      const prompt = written.map(({ text }) => text).join("\n");
      const answer =
        root === sessionID
          ? await hook("UserPromptSubmit", directory, { session_id: root, prompt })
          : await hook("SubagentStart", directory, { session_id: root, ...agentOf(agent, await parentOf(sessionID)) });
      const given = answer.hookSpecificOutput?.additionalContext;
      if (typeof given === "string") context.set(sessionID, given);
      await show(answer.systemMessage);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const given = context.get(sessionID);
      if (given !== undefined) system.push(given);
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      // One in the background has only begun.
      if (tool !== "task" || output.metadata?.background === true) return;
      const type = args?.subagent_type ?? output.metadata?.subagent_type;
      output.output = await judge(sessionID, type, String(output.output ?? ""));
    },
    dispose: async () => {
      const sessions = new Set(roots.values());
      await Promise.all([...sessions].map((root) => hook("SessionEnd", directory, { session_id: root })));
    },
  };
};

/** Each call has a session of its own: what stays the same when the parent calls it again is its type. */
function agentOf(type, parentID) {
  return { agent_type: String(type ?? ""), agent_id: `${parentID}:${type}` };
}
