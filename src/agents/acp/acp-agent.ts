import type { Agent, AgentJob } from "../../ports/agent.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { ClientOptions } from "../client-options.ts";
import { WorkRecorder } from "../work-recorder.ts";
import type { RunningProgram } from "../process-group/start-program.ts";
import { refuseJob } from "../report-end.ts";
import { runClient, type Listener } from "../run-client.ts";
import { readSession, sinceThen, writeSession } from "../session-token.ts";
import { type WatchedLines, jsonLines, jsonRecord, jsonList, jsonText } from "../watched-lines.ts";
import { converse, type Conversation, type TurnRequest } from "./converse.ts";
import { ReceivedUpdates } from "./received-updates.ts";
import { JsonRpcPeer } from "./json-rpc-peer.ts";
import { readWorkspaceFile, writeWorkspaceFile, isInWorkspace } from "./workspace-files.ts";

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

function topicOf(job: AgentJob, options: ClientOptions, given: JsonRecord): TurnRequest {
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
  topic: TurnRequest,
  policy: PermissionPolicy,
  lines: WatchedLines,
  program: () => RunningProgram | null,
): Listener {
  const work = new WorkRecorder(job.workspace);
  const heard = new ReceivedUpdates(lines, work);
  const conversation: Conversation = { session: null, tokens: null, input: null, isOver: false };
  let problem: string | null = null;
  const peer = new JsonRpcPeer(
    (line) => program()?.write(line),
    (method, parameters) => answer(policy, job.workspace, method, parameters),
    (method, parameters) => method === "session/update" && heard.hear(jsonRecord(parameters["update"])),
  );
  const stream = jsonLines(
    (message) => peer.hear(message),
    (line) => lines.tell(line),
  );
  void talk();
  return {
    hear: (chunk) => stream.add(chunk),
    report(ended) {
      stream.end();
      const leftEarly = ended.exitCode === 0 && !conversation.isOver ? "the client left before it answered" : null;
      work.input = conversation.input;
      return { ...tell(job, conversation, heard), problem: problem ?? leftEarly, work: work.reported() };
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
  heard: ReceivedUpdates,
): Omit<ReturnType<Listener["report"]>, "problem" | "work"> {
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

interface PermissionPolicy {
  /** Files of the workspace alone, all that is asked for, or nothing. */
  readonly scope: "workspace" | "all" | "none";
  /** Kinds of tool calls that are allowed besides, `execute` or `fetch`. */
  readonly kinds: readonly string[];
}

/** What names its files and does nothing else with the machine. */
const FILE_KINDS = ["edit", "delete", "move"];
const HARMLESS_KINDS = ["think"];
const READING_KINDS = ["read", "search"];

/** Answers `session/request_permission`. Never for good: each request is judged by itself. */
async function decidePermission(
  policy: PermissionPolicy,
  workspace: string,
  parameters: JsonRecord,
): Promise<JsonRecord> {
  const isAllowed = await mayDo(policy, workspace, jsonRecord(parameters["toolCall"]));
  const wanted = isAllowed ? "allow_once" : "reject_once";
  const option = jsonList(parameters["options"])
    .filter(isRecord)
    .find((offered) => offered["kind"] === wanted);
  const optionId = jsonText(option?.["optionId"]);
  // Without a way to say it for this once, not answering is the only safe answer.
  return optionId === null ? { outcome: { outcome: "cancelled" } } : { outcome: { outcome: "selected", optionId } };
}

async function mayDo(policy: PermissionPolicy, workspace: string, call: JsonRecord): Promise<boolean> {
  if (policy.scope === "none") return false;
  if (policy.scope === "all") return true;
  const kind = jsonText(call["kind"]) ?? "other";
  if (policy.kinds.includes(kind) || HARMLESS_KINDS.includes(kind)) return true;
  const paths = pathsOf(call);
  if (!FILE_KINDS.includes(kind) && !READING_KINDS.includes(kind)) return false;
  // A change of files that are not named could be a change of any file.
  if (paths.length === 0) return false;
  const inside = await Promise.all(paths.map((path) => isInWorkspace(workspace, path)));
  return inside.every(Boolean);
}

function pathsOf(call: JsonRecord): string[] {
  const named = [...jsonList(call["locations"]), ...jsonList(call["content"])].filter(isRecord);
  return named.map((place) => jsonText(place["path"])).filter((path) => path !== null);
}
