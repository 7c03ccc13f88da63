import type { Agent, AgentJob } from "../../ports/agent.ts";
import { refuseJob } from "../report-end.ts";
import { runClient, type ClientInvocation } from "../run-client.ts";
import { readSession, orNewSession } from "../session-token.ts";
import { readCodexOutput } from "./read-codex-output.ts";
import type { Runner } from "../../workflow/definition.ts";
import { ClientOptions, optionFlag, flags } from "../client-options.ts";

const LOST = /no rollout found for thread id/i;

/** Codex, headless. */
export const codexAgent: Agent = {
  kind: "codex",
  start(job, watch) {
    const { runner } = job;
    if (runner.kind !== "codex") return refuseJob(`a ${runner.kind} agent is not Codex`);
    return orNewSession(job, watch, LOST, (tried) =>
      runClient(
        tried,
        watch,
        () => invokeCodex(tried, runner),
        (lines) => readCodexOutput(lines, readSession(tried.session), tried.workspace),
      ),
    );
  },
};

type CodexRunner = Extract<Runner, { kind: "claude" | "codex" }>;

const OPTIONS = [
  "model",
  "profile",
  "sandbox",
  "add_dirs",
  "config",
  "output_schema",
  "bypass_hook_trust",
  "isolated",
  "arguments",
];
const SANDBOXES = ["workspace-write", "read-only", "danger-full-access"] as const;

/** The prompt goes in by stdin, which is then closed: Codex would wait for more. */
export function invokeCodex(job: AgentJob, runner: CodexRunner): ClientInvocation {
  const options = new ClientOptions("codex", runner.options, OPTIONS);
  const session = readSession(job.session);
  return {
    command: [
      ...runner.command,
      "exec",
      "--json",
      "--skip-git-repo-check",
      ...optionFlag("--color", "never"),
      ...optionFlag("--sandbox", options.word("sandbox", SANDBOXES)),
      ...optionFlag("--model", options.text("model")),
      ...optionFlag("--profile", options.text("profile")),
      ...flags("--add-dir", options.texts("add_dirs")),
      ...flags("--config", [...telemetryConfig(job.collector), ...options.texts("config")]),
      ...optionFlag("--output-schema", options.text("output_schema")),
      ...(options.isSet("bypass_hook_trust") ? ["--dangerously-bypass-hook-trust"] : []),
      ...(options.isSet("isolated") ? ["--ignore-user-config", "--ignore-rules"] : []),
      ...options.texts("arguments"),
      // The options of `exec` stand before the word: `resume` does not know all of them.
      ...(session === null ? [] : ["resume", session.id]),
      "-",
    ],
    environment: options.environment(),
    input: job.prompt,
  };
}

/** Its own spans join ours by TRACEPARENT. Prompts are not told, as is its default. */
function telemetryConfig(collector: AgentJob["collector"]): string[] {
  const traces = collector?.traces ?? null;
  if (traces === null) return [];
  // A text of JSON is one of TOML, too.
  const exporter = `{ otlp-http = { endpoint = ${JSON.stringify(traces)}, protocol = "json" } }`;
  return [`otel.trace_exporter=${exporter}`, "otel.log_user_prompt=false"];
}
