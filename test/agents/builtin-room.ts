import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtinAgent } from "../../src/agents/builtin/builtin-agent.ts";
import { openLocalForge } from "../../src/forges/local/local-forge.ts";
import type { AgentReport, AgentInput } from "../../src/ports/agent.ts";
import type { Forge, Issue, PullRequest } from "../../src/ports/forge.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import type { BuiltinName } from "../../src/workflow/definition.ts";
import { ForgeRoom } from "../contracts/forge-room.ts";
import { SITUATION, aJob } from "./agent-jobs.ts";

interface Worked {
  readonly report: AgentReport;
  readonly handoff: Handoff;
  /** What its handoff breaks, warnings included. */
  readonly findings: readonly string[];
}

const PROGRAM = join(import.meta.dirname, "../../src/main/builtin-agent.ts");
const NEXT = { done: "closer-agent", "needs-fixes": "fixer-agent" } as const;

/** A repository, a forge beside it, and the agents that come along, each started as the orchestrator does it. */
export class BuiltinRoom extends ForgeRoom {
  readonly stateFolder = join(this.folder, "state");

  constructor() {
    super();
    mkdirSync(this.stateFolder);
  }

  forge(): Promise<Forge> {
    const folder = join(this.folder, "forge");
    return openLocalForge({ folder, source: this.workspace, base: null, git: this.git });
  }

  async openIssue(title: string, body = ""): Promise<Issue> {
    return (await this.forge()).openIssue({ key: title, title, body, labels: [] });
  }

  /** An issue with a branch on which the workspace stands, and a pull request. */
  async openWork(title: string, files: Readonly<Record<string, string>>): Promise<Work> {
    const issue = await this.openIssue(title);
    const branch = `fix/issue-${issue.number}-work`;
    const head = this.branch(branch, files);
    const forge = await this.forge();
    await forge.pushBranch(this.workspace, branch);
    const pull = await forge.openPullRequest({ branch, title, body: "" });
    this.run("switch", "--quiet", branch);
    const known = { "issue.number": String(issue.number), "pull_request.number": String(pull.number), branch };
    return { issue, pull, head, known };
  }

  base(): string {
    return this.runIn(join(this.folder, "forge/repository.git"), "log", "--format=%s", "main");
  }

  item(number: number): JsonRecord {
    return JSON.parse(readFileSync(join(this.folder, `forge/items/${number}.json`), "utf8")) as JsonRecord;
  }

  async work(
    name: BuiltinName,
    known: AgentInput["known"],
    options: JsonRecord = {},
    more: Partial<AgentInput> = {},
  ): Promise<Worked> {
    const next = name === "prep" ? { done: "implementer-agent" } : NEXT;
    const agentInput: AgentInput = {
      ...SITUATION,
      known,
      next,
      forge: { kind: "local", folder: "../forge", base: null },
      ...more,
    };
    const runner = { kind: "builtin", name, options } as const;
    const job = aJob(runner, "", {
      agent: `${name}-agent`,
      input: agentInput,
      workspace: this.workspace,
      timeout: 60_000,
    });
    const home = { command: [process.execPath, PROGRAM], root: this.workspace, stateFolder: this.stateFolder };
    const report = await builtinAgent(home).start(job, () => undefined).ended;
    const { handoffs, diagnostics } = readHandoffs(report.lastMessage ?? "", {});
    const handoff = handoffs[0]?.handoff ?? null;
    if (handoff === null) throw new Error(`no handoff: ${report.message} ${report.lastMessage ?? ""}`);
    return { report, handoff, findings: diagnostics.map(({ message }) => message) };
  }
}

export interface Work {
  readonly issue: Issue;
  readonly pull: PullRequest;
  readonly head: string;
  readonly known: Readonly<Record<string, string>>;
}
