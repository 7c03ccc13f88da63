import { describe, expect, it } from "vitest";
import { objectionToBranch, objectionToSha } from "./claimed-name.ts";

describe("an id of a commit", () => {
  it.each(["4f2a9c1", "4F2A9C1", "a".repeat(40), "0".repeat(64)])("may be %s", (sha) => {
    expect(objectionToSha(sha)).toBeNull();
  });

  it.each(["abc123", "HEAD", "main", "--all", "4f2a9c1^", "4f2a9c1~1", "a".repeat(65), "", "4f2a9c1 ", "g".repeat(40)])(
    "is never %j",
    (sha) => expect(objectionToSha(sha)).not.toBeNull(),
  );
});

describe("the name of a branch", () => {
  it.each(["main", "feature/issue-71-gift-cards", "a.b", "fix/\u00fcber", "x@y", "v1.2-rc_3"])("may be %s", (name) => {
    expect(objectionToBranch(name)).toBeNull();
  });

  it.each([
    "--upload-pack=x",
    "-b",
    "a..b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?b",
    "a*",
    "a[b",
    "a\\b",
    "/a",
    "a/",
    "a//b",
    ".a",
    "a/.b",
    "a.",
    "a.lock",
    "a.lock/b",
    "@",
    "HEAD",
    "a@{1}",
    "",
    "a\nb",
    "a\u007f",
    "x".repeat(300),
  ])("is never %j", (name) => expect(objectionToBranch(name)).not.toBeNull());
});
