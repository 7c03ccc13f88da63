import type { Agent, AgentJob } from "../../ports/agent.ts";
import type { Runner } from "../../workflow/definition.ts";
import { cleanEnvironment } from "../process-group/clean-environment.ts";
import { refuseJob } from "../report-end.ts";
import { runClient, readBuiltinAnswer } from "../run-client.ts";
import type { ClientInvocation } from "../run-client.ts";
import type { BuiltinJob } from "./builtin-job.ts";

type BuiltinRunner = Extract<Runner, { kind: "builtin" }>;

export interface BuiltinHome {
  /** Node and the module that calls `workBuiltin`: which forges there are is not for agents to know. */
  readonly command: readonly string[];
  /** Root of the repository. */
  readonly root: string;
  readonly stateFolder: string;
  /** The operator's list of folders that gates may see. */
  readonly toolchainFile?: string;
  /** The store that the log is in, where it is in no file of the state folder. */
  readonly store?: { readonly url: string; readonly schema: string };
}

/** An agent of our own, in a process of its own: it is watched, and ended, as every other one. */
export function builtinAgent(home: BuiltinHome): Agent {
  return {
    kind: "builtin",
    start(job, watch) {
      const { runner } = job;
      if (runner.kind !== "builtin") return refuseJob(`a ${runner.kind} agent does not come along`);
      return runClient(
        job,
        watch,
        () => invoke(job, home, runner),
        (lines) => readBuiltinAnswer(lines, runner.name),
      );
    },
  };
}

function invoke(job: AgentJob, { command, store, ...home }: BuiltinHome, runner: BuiltinRunner): ClientInvocation {
  const { name, options } = runner;
  const { input: agentInput, workspace, agent, attempt, prompt } = job;
  const given: BuiltinJob = { name, options, agent, attempt, prompt, agentInput, workspace, ...home };
  const variable = agentInput.forge?.kind === "github" ? agentInput.forge.token : null;
  // Not by its environment: what the agent runs could look them up there.
  const token = variable === null ? null : (process.env[variable] ?? null);
  return {
    command,
    environment: cleanEnvironment(),
    input: JSON.stringify({ job: given, token, store }),
    hasAnswer: true,
  };
}
