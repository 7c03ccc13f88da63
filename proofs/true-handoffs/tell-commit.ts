import { type Change, type Commit, changedLines } from "./read-commit.ts";

/** A handoff about a commit, in one of the five formats. */
export interface Told {
  readonly format: string;
  readonly file: string;
  readonly text: string;
}

/** What a handoff says; the truth, or one thing of it changed. */
export interface Saying {
  readonly changes: readonly (Change & { readonly lines?: string })[];
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
  readonly branch: string | null;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly read: readonly string[];
}

/** The truth about a commit. */
export function sayTruth(folder: string, commit: Commit, branch: string | null): Saying {
  const ranges = commit.changes.length > 40 ? [] : commit.changes;
  const changes = commit.changes.map((change): Saying["changes"][number] => {
    const range =
      ranges.includes(change) && change.how !== "deleted" && !change.isBinary
        ? changedLines(folder, commit, change)
        : null;
    return range === null ? change : { ...change, lines: `${range[0]}-${range[1]}` };
  });
  const sum = (key: "insertions" | "deletions"): number => changes.reduce((total, change) => total + change[key], 0);
  const read = changes.filter(({ lines }) => lines !== undefined).map(({ path, lines }) => `${path}:${lines ?? ""}`);
  return {
    changes,
    commits: commit.commits,
    branch,
    files: changes.length,
    insertions: sum("insertions"),
    deletions: sum("deletions"),
    read,
  };
}

export const FORMATS = ["pipeline-json", "issue-xml", "phase-yaml", "task-yaml", "output-json"] as const;
export type Format = (typeof FORMATS)[number];

export function tell(format: Format, saying: Saying): Told {
  return { format, ...WRITERS[format](saying) };
}

const now = (): string => new Date().toISOString();
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const there = ({ changes }: Saying): Saying["changes"] => changes.filter(({ how }) => how !== "deleted");
/** Paths that are gone: deleted, or renamed from there. */
const gone = ({ changes }: Saying): string[] =>
  changes.flatMap(({ how, path, from }) => (how === "deleted" ? [path] : from === null ? [] : [from]));

const WRITERS: Readonly<Record<Format, (saying: Saying) => Omit<Told, "format">>> = {
  "pipeline-json": (saying) => ({
    file: "handoff-BackendBuilder.json",
    text: json({
      from_agent: "BackendBuilder",
      to_agent: "TestAgent",
      timestamp: now(),
      status: "PASS",
      iteration: 1,
      loop_required: false,
      loop_target: null,
      loop_reason: null,
      artifacts: there(saying).map(({ path }) => ({
        type: "source_file",
        path,
        purpose: "Part of the work",
        priority: "high",
      })),
      context: { design_decisions: [], known_limitations: [], assumptions: [], files_deleted: gone(saying) },
      test_requirements: { coverage: 0, critical_paths: [], edge_cases_to_test: [] },
      metrics: {
        files_changed: saying.files,
        insertions: saying.insertions,
        deletions: saying.deletions,
        total_commits: saying.commits.length,
      },
      validation: { command: "make check", expected_result: "It passes", checklist: [] },
    }),
  }),
  "issue-xml": (saying) => ({
    file: "handoff.xml",
    text: `<handoff><from>builder-agent</from><to>tester-agent</to><timestamp>${now()}</timestamp><issue_number>71</issue_number><pr_number>84</pr_number><status>success</status><summary>The work is done</summary><data>
<pr_url>https://git.example/pull/84</pr_url><issue_url>https://git.example/issues/71</issue_url>
${saying.branch === null ? "<branch>HEAD</branch>" : `<branch>${saying.branch}</branch>`}
<files_changed>${saying.files}</files_changed><tests_added>0</tests_added><coverage>0%</coverage>
<commits>${saying.commits.map(({ sha, subject }) => `<commit sha="${sha}">${escaped(subject)}</commit>`).join("")}</commits>
</data></handoff>\n`.replace(/<branch>HEAD<\/branch>\n/, ""),
  }),
  "phase-yaml": (saying) => ({
    file: "handoff.md",
    text: `\`\`\`yaml
handoff:
  phase: "Implementation"
  from: "@builder"
  to: "@tester"
  status: complete
  timestamp: "${now()}"
  metrics: { files_changed: ${saying.files}, insertions: ${saying.insertions}, deletions: ${saying.deletions}, commits: ${saying.commits.length} }
  context:
    files_modified: ${JSON.stringify(there(saying).map(({ path }) => path))}
    files_deleted: ${JSON.stringify(gone(saying))}
\`\`\`\n`,
  }),
  "task-yaml": (saying) => ({ file: "handoff-task.md", text: taskYaml(saying) }),
  "output-json": (saying) => ({
    file: "handoff-output.md",
    text: `\`\`\`json\n${json({
      agent: "frontend-developer",
      output_type: "implementation",
      timestamp: now(),
      feature_directory: ".",
      skills_invoked: [],
      library_skills_read: [],
      source_files_verified: saying.read,
      status: "complete",
      phase: "implementation",
      summary: "Did what was asked for",
      files_modified: [...there(saying).map(({ path }) => path), ...gone(saying)],
      artifacts: [],
      handoff: { next_phase: "testing", next_agent: "frontend-tester", context: "Test it", blockers: [] },
    })}\n\`\`\`\n`,
  }),
};

function taskYaml(saying: Saying): string {
  const created = saying.changes.filter(({ how }) => how === "added");
  const item = (path: string, type: string, lines: string): string =>
    `  - { path: ${JSON.stringify(path)}, lines: ${JSON.stringify(lines)}, change_type: ${type}, description: "Part of the work" }\n`;
  const modified = saying.changes.flatMap(({ how, path, from, lines = "all" }) => {
    if (how === "modified") return [item(path, "modify", lines)];
    if (how === "deleted") return [item(path, "delete", "all")];
    return from === null ? [] : [item(path, "refactor", lines), item(from, "delete", "all")];
  });
  const list = (name: string, items: readonly string[]): string =>
    `${name}:${items.length === 0 ? " []\n" : `\n${items.join("")}`}`;
  const made = created.map(
    ({ path, lines = "all" }) =>
      `  - { path: ${JSON.stringify(path)}, purpose: "Part of the work", lines: ${JSON.stringify(lines)} }\n`,
  );
  return `## Handoff\n\n\`\`\`yaml\noutcome: completed\n${list("files_created", made)}${list("files_modified", modified)}\`\`\`\n`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
