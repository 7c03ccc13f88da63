import { describe, expect, it } from "vitest";
import { understandWorkflow } from "../../src/runtime/operations/load-workflow.ts";
import { issue } from "../../src/workflow/ready/issue.ts";
import { reviewedCommit } from "../../src/workflow/reviewed-commit.ts";

const { workflow } = understandWorkflow(issue, "issue.yaml");
const agents = workflow?.agents ?? {};
const at = (from: string, to = from) => ({ step: "s1", from, to });

describe("the commit that may be merged", () => {
  it.each([
    ["no agent worked before", ["validator-agent"], {}, null],
    ["a reviewer saw it", ["fixer-agent", "reviewer-agent"], { "reviewer-agent": at("a") }, "a"],
    ["the branch moved in the review", ["reviewer-agent"], { "reviewer-agent": at("a", "b") }, undefined],
    ["its author handed it on", ["implementer-agent"], { "implementer-agent": at("a", "b") }, "b"],
    ["a person saw what the agent before left", ["implementer-agent", "ada"], { "implementer-agent": at("a") }, "a"],
    ["nothing is known of the review", ["reviewer-agent"], {}, undefined],
    [
      "the validator tried before",
      ["reviewer-agent", "validator-agent"],
      { "reviewer-agent": at("a"), "validator-agent": at("b") },
      "a",
    ],
  ])("when %s", (_when, trail, heads, commit) => {
    const found = reviewedCommit({ agents }, { trail, heads }, "validator-agent");
    if (commit === null) expect(found).toBeNull();
    else if (commit !== undefined) expect(found).toMatchObject({ commit, why: null });
    else expect(found).toMatchObject({ commit: null, why: expect.stringContaining("reviewer-agent") });
  });
});
