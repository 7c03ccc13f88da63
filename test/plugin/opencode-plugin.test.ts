import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, sessionsFile, taskHandoff } from "../hooks/hook-room.ts";

/** The plugin as OpenCode loads it, with the parts of OpenCode's own interface that it uses. */
interface Hooks {
  "chat.message"(input: { sessionID: string; agent: string }, output: { parts: readonly Part[] }): Promise<void>;
  "experimental.chat.system.transform"(input: { sessionID: string }, output: { system: string[] }): Promise<void>;
  "tool.execute.after"(input: ToolCall, output: ToolOutput): Promise<void>;
  "experimental.text.complete"(input: { sessionID: string }, output: { text: string }): Promise<void>;
  event(input: { event: { type: string; properties: { sessionID: string } } }): Promise<void>;
  dispose(): Promise<void>;
}

interface Part {
  readonly type: "text";
  text: string;
  readonly synthetic?: boolean;
}

interface ToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly args: Readonly<Record<string, string>>;
}

interface ToolOutput {
  output: string;
  readonly metadata: { readonly background?: boolean; readonly sessionId?: string };
}

/** Sessions of subagents, with the sessions that have called them. */
const PARENTS: Readonly<Record<string, string>> = { child: "main", grandchild: "child" };

const room = hookRooms();
const program = join(import.meta.dirname, "../../dist/cli/baton.cjs");

interface OpenCode {
  readonly made: HookRoom;
  readonly shown: readonly string[];
  /** A person or another agent asks an agent for something; what it is given besides. */
  ask(sessionID: string, agent: string, text: string): Promise<string>;
  /** A subagent has ended with this text; what its parent is shown. */
  end(sessionID: string, type: string, text: string): Promise<string>;
  /** A subagent goes on in the background; what its parent is shown then. */
  leave(sessionID: string, type: string): Promise<string>;
  /** The message that tells the parent of the end of one in the background; as the parent is shown it. */
  notify(sessionID: string, child: string, text: string): Promise<string>;
  /** The main agent says this, and is then idle. */
  say(sessionID: string, text: string): Promise<void>;
  close(): Promise<void>;
}

async function openCode(more = "", env: Readonly<Record<string, string>> = {}): Promise<OpenCode> {
  const made = room({ "baton.yaml": sessionsFile(more) });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  // The hooks of the plugin are processes with the environment of OpenCode.
  Object.assign(process.env, { HOME: made.home, BATON_NODE: process.execPath, BATON_PROGRAM: program, ...env });
  const path = join(import.meta.dirname, "../../extensions/opencode/baton.js");
  const { Baton } = (await import(path)) as { Baton(input: object): Promise<Hooks> };
  const shown: string[] = [];
  const client = {
    session: { get: async ({ path: { id } }: { path: { id: string } }) => ({ data: { id, parentID: PARENTS[id] } }) },
    tui: { showToast: async ({ body }: { body: { message: string } }) => shown.push(body.message) },
    app: { log: async () => undefined },
  };
  const hooks = await Baton({ directory: made.root, client });
  const call = async (sessionID: string, type: string, output: ToolOutput): Promise<string> => {
    await hooks["tool.execute.after"]({ tool: "task", sessionID, args: { subagent_type: type } }, output);
    return output.output;
  };
  return {
    made,
    shown,
    async ask(sessionID, agent, text) {
      await hooks["chat.message"]({ sessionID, agent }, { parts: [{ type: "text", text }] });
      const system: string[] = [];
      await hooks["experimental.chat.system.transform"]({ sessionID }, { system });
      return system.join("\n");
    },
    async end(sessionID, type, text) {
      return call(sessionID, type, { output: `<task_result>\n${text}\n</task_result>`, metadata: {} });
    },
    leave: (sessionID, type) =>
      call(sessionID, type, { output: "It works.", metadata: { background: true, sessionId: "child" } }),
    async notify(sessionID, child, text) {
      const part = { type: "text" as const, synthetic: true, text: `<task id="${child}" state="completed">\n${text}` };
      await hooks["chat.message"]({ sessionID, agent: "build" }, { parts: [part] });
      return part.text;
    },
    async say(sessionID, text) {
      await hooks["experimental.text.complete"]({ sessionID }, { text });
      await hooks.event({ event: { type: "session.idle", properties: { sessionID } } });
    },
    close: () => hooks.dispose(),
  };
}

async function runsOf(made: HookRoom): Promise<{ run: string; status: string; reason: string | null }[]> {
  return JSON.parse((await made.run("status", "--json")).stdout).runs;
}

describe("the plugin of OpenCode", () => {
  it("makes one run of a session with its subagents, and closes it when OpenCode ends", async () => {
    const { made, ask, end, close } = await openCode();
    await ask("main", "build", "Review the till.");
    expect(await ask("child", "reviewer", "Look at it.")).toContain("How to hand over");
    await ask("grandchild", "reviewer", "Look closer.");
    expect(await end("child", "reviewer", taskHandoff())).not.toContain("Baton sends you back");
    expect(await end("main", "reviewer", "done")).toContain("Baton sends you back: you end without a handoff");
    expect(await end("main", "reviewer", taskHandoff())).not.toContain("Baton sends you back");
    expect(await runsOf(made)).toMatchObject([{ status: "watched" }]);
    await close();
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ status: "completed" });
    const { stdout } = await made.run("log", run?.run ?? "");
    expect(stdout).toContain("Review the till.");
    expect(stdout).not.toContain("Look");
  });

  it("does not take the handoff of one subagent for that of another of its type", async () => {
    const { made, ask, end, close } = await openCode("  blocks: 1\n");
    await ask("main", "build", "Review the till.");
    await ask("child", "reviewer", "Look at it.");
    await ask("grandchild", "reviewer", "Look closer.");
    // The inner one is given up, and so is the first of two in a row.
    for (const text of ["done", "done"]) await end("child", "reviewer", text);
    for (const text of ["done", "done", taskHandoff()]) await end("main", "reviewer", text);
    await close();
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ status: "failed", done: 1 });
    expect(run?.reason?.match(/ended without a valid handoff/g)).toHaveLength(2);
  });

  it("judges what the main agent ends with, and tells the person: OpenCode cannot send it back", async () => {
    const { made, shown, ask, say, close } = await openCode("  main: { format: task-yaml }\n");
    expect(await ask("main", "build", "Review the till.")).toContain("# How to hand over");
    await say("main", "All done.");
    expect(shown.join()).toContain("main ended without a valid handoff (OpenCode cannot send it back)");
    await close();
    expect(await runsOf(made)).toMatchObject([{ status: "failed" }]);
    // The same session can go on after its end.
    await ask("main", "build", "Hand over.");
    await say("main", taskHandoff());
    // Nothing that a person has asked for: a summary of the session.
    await say("main", "A summary.");
    await close();
    expect(await runsOf(made)).toMatchObject([{ status: "completed" }]);
    expect(shown).toHaveLength(1);
  });

  it("judges the main agent only when its subagents in the background have ended", async () => {
    const { made, shown, ask, leave, notify, say, close } = await openCode("  main: { format: task-yaml }\n");
    await ask("main", "build", "Review the till.");
    await ask("child", "reviewer", "Look at it.");
    await leave("main", "reviewer");
    await say("main", "I wait.");
    expect(shown).toEqual([]);
    await notify("main", "child", taskHandoff());
    await say("main", taskHandoff());
    await close();
    expect(shown).toEqual([]);
    expect(await runsOf(made)).toMatchObject([{ status: "completed" }]);
  });

  it("judges a subagent in the background when its parent is told of its end, and not before", async () => {
    const { made, ask, leave, notify, close } = await openCode();
    await ask("main", "build", "Review the till.");
    await ask("child", "reviewer", "Look at it.");
    expect(await leave("main", "reviewer")).toBe("It works.");
    expect(await notify("main", "child", "All done.")).toContain("Baton sends you back: you end without a handoff");
    expect(await notify("main", "child", taskHandoff())).not.toContain("Baton sends you back");
    await close();
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ status: "completed" });
    expect((await made.run("log", run?.run ?? "")).stdout).not.toContain("task id");
  });

  it("shows the person what a model has nothing to do about: a subagent that was given up", async () => {
    const { shown, ask, end } = await openCode("  blocks: 0\n");
    await ask("main", "build", "Review the till.");
    expect(await end("main", "reviewer", "done")).not.toContain("Baton");
    expect(shown.join()).toContain("reviewer ended without a valid handoff");
  });

  it("says once when there is no Node or no Baton", async () => {
    const { shown, ask } = await openCode("", { BATON_PROGRAM: "/nonexistent", PATH: "/usr/bin:/bin" });
    await ask("main", "build", "Review the till.");
    await ask("main", "build", "And again.");
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("Baton checks no handoffs here");
  });
});
