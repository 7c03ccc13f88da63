import { isBuiltin } from "../../protocol/dialects/registry.ts";
import type { AgentDefinition, Workflow } from "../definition.ts";
import { ISSUE_BODIES, ISSUE_KIT } from "./issue-scripts.ts";

/** A file to write, by its path from the root of the repository. */
export interface AgentScript {
  readonly path: string;
  readonly text: string;
  /** True for the script of an agent; false for a file that these scripts share. */
  readonly isPlaceholder: boolean;
}

/**
 * Placeholder scripts for the agents that run a script, so that the workflow runs from start to end before anything
 * else is written. They hand over without doing any work, and say so.
 */
export function agentScripts(workflow: Workflow): AgentScript[] {
  const scripts = Object.values(workflow.agents).flatMap((agent) => {
    const path = scriptPath(agent);
    return path === null ? [] : [{ path, text: scriptOf(agent, workflow), isPlaceholder: true }];
  });
  const hasIssues = scripts.some(({ text }) => text.includes(`"./kit.mjs"`));
  return hasIssues ? [...scripts, { path: "agents/kit.mjs", text: ISSUE_KIT, isPlaceholder: false }] : scripts;
}

function scriptPath({ runner }: AgentDefinition): string | null {
  if (runner.kind !== "process") return null;
  const [program, script] = runner.command;
  return program === "node" && script !== undefined && /^agents\/[\w.-]+\.mjs$/.test(script) ? script : null;
}

function scriptOf(agent: AgentDefinition, workflow: Workflow): string {
  return `#!/usr/bin/env node
// ${agent.name}: a placeholder that \`baton init\` wrote. It hands over and does nothing else, so that you can see the
// workflow run. Put your own work in, or give the agent another \`run\` in baton.yaml, such as { claude: {} }.
//
// baton starts it in the workspace with the prompt on standard input: its role, what the run is about, what others
// have found out. What it prints last is its handoff, in the format ${agent.dialect}; an exit code other than 0 is a
// failure, and it is tried again. \`baton instructions ${agent.dialect}\` tells all about the format.
${bodyOf(agent, workflow)}`;
}

function bodyOf(agent: AgentDefinition, workflow: Workflow): string {
  // The workflows that come along use the formats that come along.
  if (!isBuiltin(agent.dialect)) return "";
  switch (agent.dialect) {
    case "pipeline-json":
      return pipelineBody(agent);
    case "phase-yaml":
      return phaseBody(agent, workflow);
    case "task-yaml":
      return TASK_BODY;
    case "output-json":
      return outputBody(agent);
    case "issue-xml":
      return ISSUE_BODIES[agent.name] ?? "";
  }
}

/** The agent that follows on success; null for the end, or for a return to the delegating agent. */
function nextAfter({ routes }: AgentDefinition): string | null {
  const action = routes.done?.at(-1)?.action;
  if (action?.kind === "choose") return action.from.find((name) => name !== "end" && name !== "return") ?? null;
  return action?.kind === "go" ? action.to : null;
}

const READ_PROMPT = `import { text } from "node:stream/consumers";

const prompt = await text(process.stdin);
console.error(\`placeholder: \${prompt.length} characters of prompt, and nothing done\`);

// Your work goes here: give the prompt to a model, change files, run the tests.
`;

function pipelineBody(agent: AgentDefinition): string {
  return `${READ_PROMPT}
const handoff = {
  from_agent: "${agent.name}",
  to_agent: "${nextAfter(agent) ?? "COMPLETE"}",
  timestamp: new Date().toISOString(),
  status: "PASS",
  iteration: Number(process.env.BATON_ITERATION ?? 1),
  loop_required: false,
  loop_target: null,
  loop_reason: null,
  // Files that you made: { type: "source_file", path: "src/cart.mjs", purpose: "Adds up the cart", priority: "high" }.
  artifacts: [],
  // What the next agent must know: design_decisions, known_limitations, assumptions.
  context: {},
  test_requirements: { coverage: 0, critical_paths: [], edge_cases_to_test: [] },
  // The command by which the next agent sees that the work is done, such as "npm test".
  validation: { command: "", expected_result: "", checklist: [] },
};
console.log(JSON.stringify(handoff, null, 2));
`;
}

/**
 * A hub hands over to each of its agents in turn, or only to the hubs if there are any among them. Other agents hand
 * back.
 */
function phaseBody(agent: AgentDefinition, { agents, start }: Workflow): string {
  const action = agent.routes.done?.at(-1)?.action;
  const choices = action?.kind === "choose" ? action.from.filter((name) => Object.hasOwn(agents, name)) : [];
  const hubs = choices.filter((name) => agents[name]?.hub === true);
  const turns = hubs.length > 0 ? hubs : choices;
  const hand =
    turns.length === 0
      ? "const next = null;\n"
      : `// Who has just returned to this agent is told in the prompt: the next one after it has the next turn.
const turns = ${JSON.stringify(turns).replaceAll(",", ", ")};
const returned = /^(\\S+) has returned to you\\.$/m.exec(prompt)?.[1] ?? null;
const next = turns[turns.indexOf(returned) + 1] ?? null;
`;
  const own = agent.phase ?? "Planning";
  // Only the first agent may end the run, and says so by the phase.
  const phase = agent.name === start ? `\${next === null ? "Complete" : "${own}"}` : own;
  return `${READ_PROMPT}
${hand}
console.log(\`A placeholder: nothing was done.

\\\`\\\`\\\`yaml
handoff:
  phase: ${phase}
  from: "@${agent.name}"
  to: "\${next === null ? "None" : \`@\${next}\`}"
  status: complete
  timestamp: "\${new Date().toISOString()}"
\\\`\\\`\\\`\`);
`;
}

const TASK_BODY = `${READ_PROMPT}
// Which task it is stands in process.env.BATON_TASK, too. Files, patterns, gotchas and next steps belong here.
console.log(\`## Handoff

\\\`\\\`\\\`yaml
outcome: completed
\\\`\\\`\\\`\`);
`;

function outputBody(agent: AgentDefinition): string {
  return `import { mkdirSync, writeFileSync } from "node:fs";
${READ_PROMPT}
const folder = "features/first";
const file = \`\${folder}/${agent.name}.md\`;
const metadata = {
  agent: "${agent.name}",
  output_type: "${agent.phase ?? "implementation"}",
  timestamp: new Date().toISOString(),
  feature_directory: folder,
  skills_invoked: [],
  library_skills_read: [],
  source_files_verified: [],
  status: "complete",
  phase: "${agent.phase ?? "implementation"}",
  summary: "A placeholder: nothing was done",
  files_modified: [],
  artifacts: [file],
  handoff: { next_agent: ${JSON.stringify(nextAfter(agent))}, context: "Nothing was done", blockers: [] },
};
const output = \`# ${agent.name}

A placeholder: nothing was done.

## Metadata

\\\`\\\`\\\`json
\${JSON.stringify(metadata, null, 2)}
\\\`\\\`\\\`
\`;
mkdirSync(folder, { recursive: true });
writeFileSync(file, output);
console.log(output);
`;
}
