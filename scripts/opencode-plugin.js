// Baton for OpenCode. OpenCode cannot hold an agent up: when a subagent has ended with a handoff that is missing,
// invalid or untrue, its parent is told so in the result of the tool `task`, and can call it again. What the main agent
// ends with is judged and recorded, and the person told; a run that Baton drives sends it back
// (`run: { acp: [opencode, acp] }`).
import { spawn } from "node:child_process";

const LAUNCHER = "{{launcher}}";
const COMMANDS = "{{commands}}";
const MAX_TIME = 60_000;

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
  /** What the agent of each session is told: when the session starts, and with the last prompt. */
  const context = new Map();
  /** The session of the person for each session; subagents have sessions of their own. */
  const roots = new Map();
  /** The type of the agent of each session. */
  const types = new Map();
  /** Sessions whose person has asked for something, with what was said last since then. */
  const asked = new Map();
  /** Sessions of agents that work in the background. */
  const background = new Set();
  let judged = Promise.resolve();

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

  /** What the main agent has ended its turn with. OpenCode cannot send it back: it is recorded, and the person told. */
  async function judgeMain(root) {
    const text = asked.get(root);
    const isWaiting = [...background].some((child) => roots.get(child) === root);
    if (text === undefined || isWaiting) return;
    asked.delete(root);
    await show((await hook("Stop", directory, { session_id: root, last_assistant_message: text })).systemMessage);
  }

  return {
    config: async (config) => {
      config.mcp = { baton: { type: "local", command: ["sh", "-c", LAUNCHER, "/", "mcp"] }, ...config.mcp };
      config.command = { ...COMMANDS, ...config.command };
    },
    "chat.message": async ({ sessionID, agent }, { parts }) => {
      const root = await rootOf(sessionID);
      types.set(sessionID, agent);
      if (root === sessionID && !context.has(root)) {
        const { systemMessage, ...started } = await hook("SessionStart", directory, { session_id: root });
        context.set(root, { start: givenIn(started), prompt: "" });
        await show(systemMessage);
      }
      const texts = parts.filter(({ type }) => type === "text");
      // A subagent in the background has ended: its parent is told in a message that no person has written.
      for (const part of texts.filter(({ synthetic }) => synthetic)) {
        const [, child] = /^<task id="([^"]*)" state="completed">/.exec(part.text) ?? [];
        if (child === undefined) continue;
        background.delete(child);
        part.text = await judge(sessionID, types.get(child), part.text);
      }
      const written = texts.filter(({ synthetic }) => !synthetic);
      if (written.length === 0) return;
      if (root === sessionID) asked.set(root, undefined);
      const prompt = written.map(({ text }) => text).join("\n");
      const answer =
        root === sessionID
          ? await hook("UserPromptSubmit", directory, { session_id: root, prompt })
          : await hook("SubagentStart", directory, { session_id: root, ...agentOf(agent, await parentOf(sessionID)) });
      context.set(sessionID, { start: context.get(sessionID)?.start ?? "", prompt: givenIn(answer) });
      await show(answer.systemMessage);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const { start = "", prompt = "" } = context.get(sessionID) ?? {};
      system.push(...[start, prompt].filter((given) => given !== ""));
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      if (tool !== "task") return;
      if (output.metadata?.background === true) {
        // It has only begun.
        const child = output.metadata.sessionId;
        await rootOf(child);
        background.add(child);
        return;
      }
      const type = args?.subagent_type ?? output.metadata?.subagent_type;
      output.output = await judge(sessionID, type, String(output.output ?? ""));
    },
    "experimental.text.complete": async ({ sessionID }, { text }) => {
      if (asked.has(sessionID)) asked.set(sessionID, text);
    },
    event: async ({ event: { type, properties } }) => {
      if (type !== "session.idle" || !asked.has(properties.sessionID)) return;
      judged = judged.then(() => judgeMain(properties.sessionID));
      await judged;
    },
    dispose: async () => {
      const sessions = new Set(roots.values());
      await judged;
      for (const root of sessions) await judgeMain(root);
      await Promise.all([...sessions].map((root) => hook("SessionEnd", directory, { session_id: root })));
    },
  };
};

function givenIn({ hookSpecificOutput }) {
  return hookSpecificOutput?.additionalContext ?? "";
}

/** Each call has a session of its own: what stays the same when the parent calls it again is its type. */
function agentOf(type, parentID) {
  return { agent_type: String(type ?? ""), agent_id: `${parentID}:${type}` };
}
