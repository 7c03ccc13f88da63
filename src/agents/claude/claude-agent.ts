import type { Agent, AgentJob } from "../../ports/agent.ts";
import { refuseJob } from "../report-end.ts";
import { runClient, type ClientInvocation } from "../run-client.ts";
import { readSession, orNewSession } from "../session-token.ts";
import { readClaudeOutput } from "./read-claude-output.ts";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Runner } from "../../workflow/definition.ts";
import { ClientOptions, optionFlag, flags } from "../client-options.ts";

const LOST = /No conversation found with session ID/i;

/** Claude Code, headless. */
export const claudeAgent: Agent = {
  kind: "claude",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "claude") return refuseJob(`a ${runner.kind} agent is not Claude Code`);
    return orNewSession(job, watch, LOST, (tried) =>
      runClient(
        tried,
        watch,
        () => invokeClaude(tried, runner),
        (lines) => readClaudeOutput(lines, readSession(tried.session), tried.workspace),
      ),
    );
  },
};

type ClaudeRunner = Extract<Runner, { kind: "claude" | "codex" }>;

const OPTIONS = [
  "model",
  "fallback_model",
  "permission_mode",
  "allowed_tools",
  "disallowed_tools",
  "tools",
  "add_dirs",
  "max_turns",
  "agent",
  "agents",
  "append_system_prompt",
  "settings",
  "mcp_config",
  "plugin_dirs",
  "isolated",
  "arguments",
];

/** The prompt goes in by stdin: it may be longer than a command line, and begin with a hyphen. */
export function invokeClaude(job: AgentJob, runner: ClaudeRunner): ClientInvocation {
  const options = new ClientOptions("claude", runner.options, OPTIONS);
  const session = readSession(job.session);
  const temporary = ownTemporaryFolder(job.scratch);
  return {
    command: [
      ...runner.command,
      "--print",
      ...optionFlag("--output-format", "stream-json"),
      "--verbose",
      ...permissions(options),
      ...optionFlag("--model", options.text("model")),
      ...optionFlag("--fallback-model", options.text("fallback_model")),
      ...optionFlag("--max-turns", options.text("max_turns")),
      ...optionFlag("--agent", options.text("agent")),
      ...optionFlag("--agents", options.json("agents")),
      ...optionFlag("--append-system-prompt", options.text("append_system_prompt")),
      ...flags("--plugin-dir", options.texts("plugin_dirs")),
      ...optionFlag("--settings", options.json("settings")),
      ...optionFlag("--mcp-config", options.json("mcp_config")),
      // What the repository or its user has set up is not to join in: no hooks, no servers, no settings of theirs.
      ...(options.isSet("isolated") ? ["--setting-sources", "", "--strict-mcp-config"] : []),
      ...optionFlag("--max-budget-usd", job.money === null ? null : String(job.money)),
      ...optionFlag("--resume", session === null ? null : session.id),
      ...options.texts("arguments"),
    ],
    environment: {
      DISABLE_AUTOUPDATER: "1",
      ...telemetryVariables(job.collector),
      ...options.environment(),
      TMPDIR: temporary,
    },
    input: job.prompt,
    temporary: [temporary],
  };
}

/** Its own spans join ours by TRACEPARENT. What was said in the session stays there: prompts are not told. */
function telemetryVariables(collector: AgentJob["collector"]): Record<string, string> {
  if (collector === null) return {};
  const { traces, metrics } = collector;
  return {
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    ...(traces !== null && { OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces }),
    ...(metrics !== null && { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: metrics }),
  };
}

function permissions(options: ClientOptions): string[] {
  return [
    // Files of the workspace may be changed; everything else must be named, because no person can be asked.
    ...optionFlag("--permission-mode", options.text("permission_mode") ?? "acceptEdits"),
    ...commaFlag("--allowedTools", options.texts("allowed_tools")),
    ...commaFlag("--disallowedTools", options.texts("disallowed_tools")),
    ...commaFlag("--tools", options.texts("tools")),
    ...flags("--add-dir", options.texts("add_dirs")),
  ];
}

/** As one argument: the flag takes all words that follow it, and would take the next flag's too. */
function commaFlag(name: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [name, values.join(",")];
}

/** The path of a socket may have some hundred characters, and Claude adds its own part. */
const MAX_FOLDER = 60;

/** Claude keeps sockets in its temporary folder: two attempts must not meet there. */
function ownTemporaryFolder(scratch: string): string {
  const folder = join(scratch, "tmp");
  if (folder.length > MAX_FOLDER) return mkdtempSync(join(tmpdir(), "baton-"));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
