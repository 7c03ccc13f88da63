import { expect, it } from "vitest";
import { readWorkflow } from "../../workflow/file/read-workflow.ts";
import { listCommands } from "./list-commands.ts";

function listed(forge: string): string[] {
  const agent =
    "{ run: { builtin: validator, options: { unit: [make, a b] } }, dialect: issue-xml, routes: { done: end } }";
  const text = `baton: 1\nname: w\nstart: a\nforge: { ${forge} }\nagents:\n  a: ${agent}\n`;
  const { workflow } = readWorkflow(text, { path: "w.yaml", hash: "" });
  return workflow === null ? [] : listCommands(workflow);
}

it("tells what agents that come along run, and where the forge is", () => {
  expect(listed("local: ../forge")).toEqual([
    "a: built-in validator",
    '    option unit: ["make","a b"]',
    "forge: writes issues, pull requests and branches into ../forge",
  ]);
});

it("tells which secret goes where", () => {
  expect(listed("github: a/b, api: https://elsewhere.example, token: AWS_SECRET_ACCESS_KEY").slice(-2)).toEqual([
    "forge: changes issues, pull requests and branches of a/b at https://elsewhere.example",
    "    sends the value of AWS_SECRET_ACCESS_KEY from your environment there",
  ]);
});
