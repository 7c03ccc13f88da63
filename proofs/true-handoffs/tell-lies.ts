import type { Change } from "./read-commit.ts";
import type { Format, Saying } from "./tell-commit.ts";

/** One thing of the truth changed; null where the format or the commit has no place for it. */
interface Lie {
  readonly name: string;
  readonly formats: readonly Format[];
  readonly tell: (saying: Saying, unchanged: string) => Saying | null;
}

const change = (path: string, how: Change["how"] = "modified"): Change => ({
  how,
  path,
  from: null,
  insertions: 3,
  deletions: 1,
  isBinary: false,
});

const LISTING: readonly Format[] = ["pipeline-json", "phase-yaml", "task-yaml", "output-json"];

export const LIES: readonly Lie[] = [
  {
    name: "lists a file that is not there",
    formats: LISTING,
    tell: (saying) => ({ ...saying, changes: [...saying.changes, change("src/never-written.ts", "added")] }),
  },
  {
    name: "lists a file that is unchanged",
    formats: ["task-yaml", "output-json"],
    tell: (saying, unchanged) => ({ ...saying, changes: [...saying.changes, change(unchanged)] }),
  },
  {
    name: "leaves out a changed file",
    formats: LISTING,
    tell: (saying) => (saying.changes.length < 2 ? null : { ...saying, changes: saying.changes.slice(1) }),
  },
  { name: "lists nothing", formats: LISTING, tell: (saying) => ({ ...saying, changes: [], read: [] }) },
  {
    name: "names lines that are not changed",
    formats: ["task-yaml"],
    tell(saying) {
      const at = saying.changes.findIndex(({ how, lines }) => how === "modified" && Number(lines?.split("-")[0]) > 30);
      return at === -1
        ? null
        : { ...saying, changes: saying.changes.map((one, index) => (index === at ? { ...one, lines: "2-9" } : one)) };
    },
  },
  {
    name: "calls a modified file created",
    formats: ["task-yaml"],
    tell: (saying) => replaced(saying, "modified", "added"),
  },
  {
    name: "calls a modified file deleted",
    formats: ["pipeline-json", "phase-yaml", "task-yaml"],
    tell: (saying) => replaced(saying, "modified", "deleted"),
  },
  {
    name: "invents a commit",
    formats: ["issue-xml"],
    tell: (saying) => ({
      ...saying,
      commits: [...saying.commits, { sha: "0123456789abcdef0123456789abcdef01234567", subject: "Mend it" }],
    }),
  },
  {
    name: "gives a commit another message",
    formats: ["issue-xml"],
    tell: ({ commits, ...rest }) => ({
      ...rest,
      commits: commits.map((one) => ({ ...one, subject: "Make the checkout of gift cards safe" })),
    }),
  },
  {
    name: "names another branch",
    formats: ["issue-xml"],
    tell: (saying) => (saying.branch === null ? null : { ...saying, branch: "feature/issue-71-gift-cards" }),
  },
  {
    name: "counts more files",
    formats: ["issue-xml", "pipeline-json", "phase-yaml"],
    tell: (saying) => ({ ...saying, files: saying.files + 7 }),
  },
  {
    name: "counts more lines",
    formats: ["pipeline-json", "phase-yaml"],
    tell: (saying) => ({ ...saying, insertions: 5 * saying.insertions + 400 }),
  },
  {
    name: "has read lines that are not there",
    formats: ["output-json"],
    tell: (saying) => {
      const [first] = saying.read;
      return first === undefined ? null : { ...saying, read: [first.replace(/:\d+-\d+$/, ":1-999999")] };
    },
  },
];

function replaced(saying: Saying, from: Change["how"], to: Change["how"]): Saying | null {
  const at = saying.changes.findIndex(({ how }) => how === from);
  if (at === -1) return null;
  return {
    ...saying,
    changes: saying.changes.map((one, index) => (index === at ? { ...one, how: to, lines: "all" } : one)),
  };
}
