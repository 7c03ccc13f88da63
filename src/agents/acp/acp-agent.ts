import type { Agent, AgentJob } from "../../ports/agent.ts";
import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import { ClientOptions } from "../client-options.ts";
import { HeardWork } from "../heard-work.ts";
import { jsonLines, recordOf } from "../json-lines.ts";
import type { RunningProgram } from "../process-group/start-program.ts";
import { refuseJob } from "../report-end.ts";
import { runClient } from "../run-client.ts";
import type { Listener } from "../run-client.ts";
import { readSession, sinceThen, writeSession } from "../session-token.ts";
import type { WatchedLines } from "../watched-lines.ts";
import { converse } from "./converse.ts";
import type { Conversation, Topic } from "./converse.ts";
import { decidePermission } from "./decide-permission.ts";
import type { PermissionPolicy } from "./decide-permission.ts";
import { HeardUpdates } from "./hear-updates.ts";
import { JsonRpcPeer } from "./json-rpc-peer.ts";
import { readWorkspaceFile, writeWorkspaceFile } from "./workspace-files.ts";

const OPTIONS = ["permissions", "allow", "mode", "auth_method", "mcp_servers"];

/** Any client that speaks the Agent Client Protocol: Gemini, OpenCode, Copilot. */
export const acpAgent: Agent = {
  kind: "acp",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "acp") return refuseJob(`a ${runner.kind} agent speaks no ACP`);
    const read = (): ClientOptions => new ClientOptions("acp", runner.options, OPTIONS);
    return runClient(
      job,
      watch,
      () => {
        // Read here, where a mistake in them refuses the job.
        const options = read();
        topicOf(job, options, runner.options);
        policyOf(options);
        // Gemini would otherwise start itself a second time.
        const environment = { GEMINI_CLI_NO_RELAUNCH: "true", ...options.environment() };
        return { command: runner.command, environment, input: null };
      },
      (lines, program) => {
        const options = read();
        return listen(job, topicOf(job, options, runner.options), policyOf(options), lines, program);
      },
    );
  },
};

function policyOf(options: ClientOptions): PermissionPolicy {
  return { scope: options.word("permissions", ["workspace", "all", "none"]), kinds: options.texts("allow") };
}

function topicOf(job: AgentJob, options: ClientOptions, given: JsonRecord): Topic {
  const servers: JsonValue = given["mcp_servers"] ?? [];
  if (!Array.isArray(servers)) throw new Error("the option mcp_servers must be a list");
  return {
    prompt: job.prompt,
    workspace: job.workspace,
    session: readSession(job.session)?.id ?? null,
    mode: options.text("mode"),
    authMethod: options.text("auth_method"),
    mcpServers: servers,
  };
}

function listen(
  job: AgentJob,
  topic: Topic,
  policy: PermissionPolicy,
  lines: WatchedLines,
  program: () => RunningProgram | null,
): Listener {
  const work = new HeardWork(job.workspace);
  const heard = new HeardUpdates(lines, work);
  const conversation: Conversation = { session: null, tokens: null, input: null, isOver: false };
  let problem: string | null = null;
  const peer = new JsonRpcPeer(
    (line) => program()?.write(line),
    (method, parameters) => answer(policy, job.workspace, method, parameters),
    (method, parameters) => method === "session/update" && heard.hear(recordOf(parameters["update"])),
  );
  const stream = jsonLines(
    (message) => peer.hear(message),
    (line) => lines.tell(line),
  );
  void talk();
  return {
    hear: (chunk) => stream.add(chunk),
    told(ended) {
      stream.end();
      const leftEarly = ended.exitCode === 0 && !conversation.isOver ? "the client left before it answered" : null;
      work.input = conversation.input;
      return { ...tell(job, conversation, heard), problem: problem ?? leftEarly, work: work.told() };
    },
  };

  async function talk(): Promise<void> {
    // The program is started right after we begin to listen.
    await Promise.resolve();
    try {
      await converse(peer, topic, heard, conversation);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    conversation.isOver = true;
    program()?.dismiss();
  }
}

function answer(
  policy: PermissionPolicy,
  workspace: string,
  method: string,
  parameters: JsonRecord,
): Promise<JsonRecord> | null {
  if (method === "session/request_permission") return decidePermission(policy, workspace, parameters);
  if (method === "fs/read_text_file") return readWorkspaceFile(workspace, parameters);
  if (method !== "fs/write_text_file") return null;
  return policy.scope === "none"
    ? Promise.reject(new Error("nothing may be written"))
    : writeWorkspaceFile(workspace, parameters);
}

function tell(
  job: AgentJob,
  conversation: Conversation,
  heard: HeardUpdates,
): Omit<ReturnType<Listener["told"]>, "problem" | "work"> {
  const { session, tokens } = conversation;
  const known = readSession(job.session);
  // A session that was lost and begun anew has cost nothing before.
  const before = known !== null && (session ?? known.id) === known.id ? known.money : 0;
  return {
    lastMessage: heard.lastMessage(),
    tokens,
    money: sinceThen(heard.money, before),
    session: session === null ? null : writeSession({ id: session, tokens: 0, money: heard.money ?? before }),
  };
}
