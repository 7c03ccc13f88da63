import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { branchName } from "../../workflow/file/words.ts";
import { branchNameOf, isBranchOf } from "./prep.ts";

const name = (title: string, type?: string, labels: readonly string[] = []): string =>
  branchNameOf({ number: 71, title, labels }, type);

describe("the branch of an issue", () => {
  it.each([
    ["Gift cards", "feature", "feature/issue-71-gift-cards"],
    ["Gift cards", "enhancement", "feature/issue-71-gift-cards"],
    ["5 cents are shown as 0.5", "bug", "fix/issue-71-5-cents-are-shown-as-0-5"],
    ["Tidy  up -- the Über-cart!", "refactor", "refactor/issue-71-tidy-up-the-uber-cart"],
    ["--upload-pack=x; rm -rf /", "chore", "chore/issue-71-upload-pack-x-rm-rf"],
    ["日本語", "bug", "fix/issue-71-work"],
    ["", undefined, "feature/issue-71-work"],
    [`${"long".repeat(30)} word`, "bug", `fix/issue-71-${"long".repeat(30)}`.slice(0, 50)],
    [
      "A title of many words that goes on and on until it is too long",
      "bug",
      "fix/issue-71-a-title-of-many-words-that-goes-on",
    ],
  ])("%j of type %s is %s", (title, type, expected) => {
    expect(name(title, type)).toBe(expected);
  });

  it("has its type from the labels when no agent said one", () => {
    expect(name("x", undefined, ["help wanted", "Bug"])).toBe("fix/issue-71-x");
  });

  it("is a branch of its issue that git takes, of at most 50 characters, whatever the title is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 10 ** 9 }), (title, number) => {
        const branch = branchNameOf({ number, title, labels: [] }, "bug");
        expect(branch.length).toBeLessThanOrEqual(50);
        expect(branchName.accepts(branch) && isBranchOf(branch, number)).toBe(true);
      }),
    );
  });

  it.each([
    "main",
    "fix/issue-72-x",
    "fix/issue-71-",
    "-x/issue-71-y",
    "fix/issue-71-x/../main",
    "fix/issue-71-x\n",
    "Fix/issue-71-x",
  ])("is not %j", (branch) => {
    expect(isBranchOf(branch, 71)).toBe(false);
  });
});
