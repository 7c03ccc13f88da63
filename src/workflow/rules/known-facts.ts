import type { Handoff } from "../../protocol/handoff.ts";
import type { Draft } from "../draft.ts";
import type { Problem } from "../input.ts";
import type { RunState } from "../state.ts";

/** Fields that stay with the run once an agent has delivered them (001-R23), and what the run calls them. */
const FIELDS: Readonly<Record<string, (handoff: Handoff) => string | undefined>> = {
  "issue.number": ({ issue }) => issue?.number,
  "issue.url": ({ issue }) => issue?.url,
  "issue.title": ({ issue }) => issue?.title,
  "issue.type": ({ issue }) => issue?.type,
  "issue.priority": ({ issue }) => issue?.priority,
  "pull_request.number": ({ pull_request }) => pull_request?.number,
  "pull_request.url": ({ pull_request }) => pull_request?.url,
  branch: ({ work }) => work?.branch,
  "workspace.path": ({ work }) => work?.workspace?.path,
  "workspace.type": ({ work }) => work?.workspace?.type,
  "workspace.port": ({ work }) => work?.workspace?.port,
  "merge.sha": ({ work }) => work?.merge?.sha,
  directory: ({ work }) => work?.directory,
  tests_added: ({ metrics }) => figure(metrics?.["tests_added"]),
  coverage: ({ metrics }) => figure(metrics?.["coverage"]),
};

function figure(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "string" ? String(value) : undefined;
}

/** These name one thing for the whole run: another value is another run's. */
const FIXED = ["issue.number", "pull_request.number", "branch"];

export function contradictions(state: RunState, handoff: Handoff): Problem[] {
  return FIXED.flatMap((name) => {
    const known = state.known[name];
    const value = FIELDS[name]?.(handoff);
    if (known === undefined || value === undefined || value === known.value) return [];
    const message = `${name} is ${value} here, but ${known.value} since ${known.by}.`;
    return [
      { message, hint: "One run is about one issue, one pull request and one branch.", where: name, rule: "001-R24" },
    ];
  });
}

export function learnFacts(draft: Draft, agent: string, handoff: Handoff): void {
  for (const [name, read] of Object.entries(FIELDS)) {
    const value = read(handoff);
    if (value === undefined || value === "" || draft.state.known[name]?.value === value) continue;
    draft.record({ kind: "fact-learned", name, value, by: agent });
  }
}
