import { describe, expect, it } from "vitest";
import { claimsIn, git, handoff, put, repository, verify } from "./verify-repository.ts";

/** The verdicts on figures in the context of a handoff, with one file more that is not committed. */
async function judge(figures: Readonly<Record<string, number>>): Promise<Record<string, string>> {
  const folder = repository();
  put(folder, "src/fresh.js", "one\ntwo\nthree\n");
  git(folder, "config", "diff.renames", "false");
  const document = handoff().replace('"artifacts": [],', `"artifacts": [], ${JSON.stringify(figures).slice(1, -1)},`);
  put(folder, "handoff.md", document);
  const found = claimsIn(await verify(folder, "handoff.md", "--base", "main")).filter(({ kind }) => kind === "figure");
  return Object.fromEntries(found.map(({ says, verdict, evidence }) => [says, `${verdict}: ${evidence}`]));
}

describe("figures of a handoff, without a run", () => {
  it("are compared with what git counts, new files included", async () => {
    expect(await judge({ insertions: 5, deletions: 0, total_commits: 2 })).toEqual({
      "5 lines added.": "confirmed: 5 lines added, 0 removed.",
      "0 lines removed.": "confirmed: 5 lines added, 0 removed.",
      "2 commits in all.": "confirmed: 2 commits in HEAD, 1 since the base.",
    });
    expect(await judge({ insertions: 500, deletions: 90, lines_of_code: 9000, total_commits: 12 })).toEqual({
      "500 lines added.": "refuted: 5 lines added, 0 removed.",
      "90 lines removed.": "refuted: 5 lines added, 0 removed.",
      "9000 lines of code.": "refuted: 5 lines added, 0 removed.",
      "12 commits in all.": "refuted: 2 commits in HEAD, 1 since the base.",
    });
  });
});
