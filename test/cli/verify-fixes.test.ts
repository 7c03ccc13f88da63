import { describe, expect, it } from "vitest";
import { claimsIn, git, put, room, verify } from "./verify-repository.ts";

const LINES = Array.from({ length: 60 }, (_, at) => `export const line${at + 1} = ${at + 1};`);
const TEXT = `${LINES.join("\n")}\n`;
const withLine = (line: number): string => `${LINES.with(line - 1, "export const mended = true;").join("\n")}\n`;

/** A commit with the issue, and one more that changes these files. */
function fixedBy(change: (folder: string) => void): string {
  const folder = room({ "src/login.js": TEXT, "src/other.js": TEXT });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "feat: begin");
  change(folder);
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "fix: login");
  return folder;
}

async function judge(folder: string, ...locations: string[]) {
  const fixes = locations.map((location) => `<fix location="${location}">Mended</fix>`).join("");
  const text = `<handoff><from>fixer-agent</from><to>reviewer-agent</to><timestamp>2026-03-09T14:05:00Z</timestamp>
<issue_number>7</issue_number><pr_number>8</pr_number><status>ready-for-re-review</status><summary>It is fixed</summary>
<data><pr_url>https://example.org/8</pr_url><branch>main</branch><fixes_applied>${fixes}</fixes_applied><commits_added>1</commits_added></data></handoff>\n`;
  put(folder, "handoff.xml", text);
  const json = await verify(folder, "handoff.xml", "--base", "HEAD~1");
  const judged = claimsIn(json).filter(({ kind }) => kind === "fix");
  return { code: json.code, claims: judged.map(({ verdict, evidence }) => `${verdict}: ${evidence}`) };
}

describe("a fix that names a place, without a run", () => {
  it("is refuted when only another file was committed", async () => {
    const folder = fixedBy((place) => put(place, "NOTES.txt", "I looked at src/login.js.\n"));
    const { code, claims } = await judge(folder, "src/login.js:2", "src/nowhere.js:2");
    expect(code).toBe(1);
    expect(claims).toEqual([
      "refuted: The file has not changed since then.",
      "refuted: There is no such file, and there was none before.",
    ]);
  });

  it("is confirmed where the file changed near the place, and unverifiable where it changed elsewhere", async () => {
    const folder = fixedBy((place) => put(place, "src/login.js", withLine(20)));
    const { claims } = await judge(folder, "src/login.js:20", "src/login.js:30", "src/login.js:31");
    expect(claims).toEqual([
      "confirmed: The file changed near the place.",
      "confirmed: The file changed near the place.",
      "unverifiable: The file changed, but not near the place.",
    ]);
  });

  it("follows renames, and a deletion is a change", async () => {
    const folder = fixedBy((place) => {
      git(place, "mv", "src/login.js", "src/sign-in.js");
      put(place, "src/sign-in.js", withLine(2));
      git(place, "rm", "-q", "src/other.js");
    });
    const { code, claims } = await judge(
      folder,
      "src/login.js:2",
      "src/sign-in.js:2",
      "src/login.js:50",
      "src/other.js:9",
    );
    expect(claims.map((claim) => claim.split(":")[0])).toEqual(["confirmed", "confirmed", "unverifiable", "confirmed"]);
    expect(code).toBe(0);
  });

  it("is not refuted where it does not name one file", async () => {
    const folder = fixedBy((place) => put(place, "src/login.js", withLine(2)));
    const { claims } = await judge(folder, "src/login.js:2, src/other.js:5", "src:3");
    expect(claims.map((claim) => claim.split(":")[0])).toEqual(["unverifiable", "unverifiable"]);
  });
});
