import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentOrder, examples, ofKind } from "./repository.ts";

const example = examples();

const WORKFLOW = `baton: 1
name: names
start: IssueManager
verify: off
context: off
agents:
  IssueManager:
    run: { process: [cat, first.xml] }
    dialect: issue-xml
    routes: { done: BackendBuilder }
  BackendBuilder:
    run: { process: [cat, second.md] }
    dialect: phase-yaml
    routes: { done: { choose: [code_reviewer, end], otherwise: person } }
  code_reviewer:
    run: { process: [cat, third.xml] }
    dialect: issue-xml
    routes: { done: end }
`;

function xml(from: string, to: string): string {
  return `<handoff><from>${from}</from><to>${to}</to><timestamp>2026-03-09T14:05:00Z</timestamp><issue_number>71</issue_number><status>success</status><summary>Done</summary><data/></handoff>\n`;
}

it("agents of every format are called as the workflow calls them", async () => {
  const repository = example("pipeline");
  const write = (name: string, text: string): void => writeFileSync(join(repository.folder, name), text);
  write("names.yaml", WORKFLOW);
  write("first.xml", xml("IssueManager", "BackendBuilder"));
  write(
    "second.md",
    '```yaml\nhandoff:\n  phase: Testing\n  from: "@BackendBuilder"\n  to: "@code_reviewer"\n  status: complete\n```\n',
  );
  write("third.xml", xml("code-reviewer", "orchestrator"));
  expect(await repository.baton("trust", "names.yaml")).toMatchObject({ code: 0 });
  expect(await repository.baton("run", "names.yaml")).toMatchObject({ code: 0 });
  const events = await repository.events();
  expect(agentOrder(events)).toEqual(["IssueManager", "BackendBuilder", "code_reviewer"]);
  expect(ofKind(events, "handoff-accepted").map(({ delivery }) => delivery.warnings)).toEqual([0, 0, 1]);
});
