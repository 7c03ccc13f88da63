import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TaskSource } from "../../src/workflow/definition.ts";
import type { FoundTask, Progress } from "../../src/workflow/tasks/found-task.ts";
import { readSource, writeSource } from "../../src/workflow/tasks/task-sources.ts";

/** Whatever a file of tasks looks like: a status that is written is read again, and nothing else has changed. */

const RUNS = Number(process.env["BATON_TASK_FILES"] ?? 300);
const AT = "2026-03-01T10:00:00.000Z";
const ANY_TAG = { wanted: null, current: null };
const PROGRESS: readonly Progress[] = ["pending", "in-progress", "done", "failed", "blocked"];

interface Sample {
  readonly path: string;
  readonly text: string;
}

const anyProgress = fc.constantFrom(...PROGRESS);
const word = fc.string({ unit: "grapheme", maxLength: 30 });
const oneLine = word.map((text) => text.replaceAll(/[\r\n\u2028\u2029|]/g, " ").trim());

const taskFile: fc.Arbitrary<Sample> = fc
  .record({
    id: fc.integer({ min: 1, max: 999 }),
    name: oneLine.filter((text) => text !== ""),
    status: fc.constantFrom("pending", "in_progress", "completed", "failed", "blocked", "skipped", "Pending", ""),
    order: fc.shuffledSubarray(["Priority", "Category", "Depends On", "Owner"], { minLength: 1 }),
    value: oneLine,
    bold: fc.boolean(),
    end: fc.constantFrom("\n", "\r\n"),
    body: fc.array(oneLine, { maxLength: 5 }),
  })
  .map(({ id, name, status, order, value, bold, end, body }) => {
    const field = (key: string, content: string): string =>
      bold ? `**${key}:** ${content}` : `|  **${key}** | ${content} |`;
    const rows = [...order.map((key) => field(key, value)), field("Status", status)];
    // Agents write below; their own tables are none of ours.
    const log = ["## Execution Log", "| Status | of an agent |", ...body];
    return { path: `tasks/task-${id}.md`, text: [`# Task task-${id}: ${name}`, "", ...rows, "", ...log].join(end) };
  });

const taskMaster: fc.Arbitrary<Sample> = fc
  .record({
    tasks: fc.uniqueArray(
      fc.record(
        {
          id: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }).map(String)),
          title: word,
          status: fc.constantFrom("pending", "in-progress", "done", "review", "deferred", "cancelled", "blocked"),
          metadata: fc.jsonValue({ maxDepth: 2 }),
          dependencies: fc.constant([]),
          subtasks: fc.uniqueArray(
            fc.record(
              {
                id: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }).map(String)),
                status: fc.constantFrom("pending", "in-progress", "done"),
                extra: fc.jsonValue({ maxDepth: 1 }),
              },
              { requiredKeys: ["id"] },
            ),
            { maxLength: 3, selector: ({ id }) => String(id) },
          ),
        },
        { requiredKeys: ["id"] },
      ),
      { minLength: 1, maxLength: 6, selector: ({ id }) => String(id) },
    ),
    isTagged: fc.boolean(),
    other: fc.jsonValue({ maxDepth: 2 }),
    indent: fc.constantFrom(undefined, 2, 4, "\t"),
  })
  .map(({ tasks, isTagged, other, indent }) => {
    const list = { tasks, metadata: { other } };
    return {
      path: ".taskmaster/tasks/tasks.json",
      text: JSON.stringify(isTagged ? { master: list, "feature-x": { tasks: [{ id: 1 }] } } : list, null, indent),
    };
  });

const specKit: fc.Arbitrary<Sample> = fc
  .record({
    lines: fc.array(
      fc.oneof(
        fc.record({
          mark: fc.constantFrom(" ", "x", "X"),
          marker: fc.constantFrom("", "[P] ", "[P] [US1] "),
          text: oneLine,
        }),
        oneLine.map((title) => `## Phase: ${title}`),
        fc.constantFrom("```", "<!-- a note -->", "", "---", "### Tests", "  - a note"),
      ),
      { minLength: 1, maxLength: 25 },
    ),
    end: fc.constantFrom("\n", "\r\n"),
  })
  .map(({ lines, end }) => {
    const written = lines.map((line, index) =>
      typeof line === "string"
        ? line
        : `- [${line.mark}] T${String(index).padStart(3, "0")} ${line.marker}${line.text}`,
    );
    return { path: "specs/001/tasks.md", text: ["- [ ] T999 Begin", ...written].join(end) };
  });

const beads: fc.Arbitrary<Sample> = fc
  .uniqueArray(
    fc.record(
      {
        id: fc.stringMatching(/^[a-z]{2}-[a-z0-9]{1,5}(\.\d)?$/),
        title: word,
        description: word,
        status: fc.constantFrom("open", "in_progress", "blocked", "closed", "deferred"),
        priority: fc.integer({ min: 0, max: 4 }),
        updated_at: fc.constant("2026-01-01T00:00:00Z"),
        closed_at: fc.constant("2026-01-02T00:00:00Z"),
        labels: fc.array(word, { maxLength: 2 }),
        unknown: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ["id"] },
    ),
    { minLength: 1, maxLength: 6, selector: ({ id }) => id },
  )
  .map((issues) => ({
    path: ".beads/issues.jsonl",
    text: `${issues.map((issue) => JSON.stringify(issue)).join("\n")}\n`,
  }));

/** Every task of a sample takes its turn. */
function tasksOf({ path, text }: Sample): { readonly source: TaskSource; readonly task: FoundTask }[] {
  const file = readSource(text, path, ANY_TAG);
  if (file === null) throw new Error(`no tasks in ${text}`);
  return file.tasks.map((task) => ({
    task,
    source: { format: file.format, path, id: task.sourceId, tag: file.tag },
  }));
}

function write(sample: Sample, source: TaskSource, progress: Progress): Sample {
  const written = writeSource(sample.text, { source, progress }, AT);
  expect(written.kind).not.toBe("impossible");
  return { ...sample, text: written.kind === "changed" ? written.text : sample.text };
}

const WORDS: Readonly<Record<TaskSource["format"], Readonly<Record<Progress, RegExp>>>> = {
  "task-file": {
    pending: /^pending$/i,
    "in-progress": /^in_progress$/,
    done: /^completed$/,
    failed: /^failed$/,
    blocked: /^blocked$/,
  },
  "task-master": {
    pending: /^pending$/,
    "in-progress": /^in-progress$/,
    done: /^done$/,
    failed: /^blocked$/,
    blocked: /^blocked$/,
  },
  "spec-kit": { pending: /^\[ \]$/, "in-progress": /^\[ \]$/, done: /^\[X\]$/, failed: /^\[ \]$/, blocked: /^\[ \]$/ },
  beads: {
    pending: /^open$/,
    "in-progress": /^in_progress$/,
    done: /^closed$/,
    failed: /^blocked$/,
    blocked: /^blocked$/,
  },
};

function holds(sample: Sample, progress: Progress, pick: number): void {
  const tasks = tasksOf(sample);
  const chosen = tasks[pick % tasks.length];
  if (chosen === undefined) return;
  const after = write(sample, chosen.source, progress);
  const again = tasksOf(after);
  expect(again.map(({ source }) => source)).toEqual(tasks.map(({ source }) => source));
  for (const [index, { task }] of again.entries()) {
    const before = tasks[index]?.task;
    if (task.id === chosen.task.id) expect(task.word).toMatch(WORDS[chosen.source.format][progress]);
    // The task that a subtask belongs to follows it, as Task Master has it.
    else if (task.id !== chosen.task.parent) expect(task.word).toBe(before?.word);
    expect({ ...task, brief: "", word: "", standing: "" }).toEqual({ ...before, brief: "", word: "", standing: "" });
  }
  expect(write(after, chosen.source, progress).text).toBe(after.text);
  expect(withoutStatuses(after)).toBe(withoutStatuses(sample));
}

/** The text without the words that may have changed; every other byte counts. */
function withoutStatuses({ path, text }: Sample): string {
  if (path.endsWith(".md")) return text.replaceAll(/^(- \[)[ xX]\]/gm, "$1]").replace(STATUS_ROW, "$1");
  const fields = path.endsWith(".jsonl") ? BEADS_FIELDS : /,?\s*"status"\s*:\s*"[^"]*"/g;
  return text.replaceAll(fields, "").replaceAll("{,", "{");
}

const STATUS_ROW = /^((?:\| {2}\*\*Status\*\* \||\*\*Status:\*\*)) *\w* *\|?(?=\r?$)/m;
const BEADS_FIELDS = /,?"(?:status|updated_at|closed_at)":"[^"]*"/g;

describe("for any file, a status that is written is read again and changes nothing else", () => {
  it.each(Object.entries({ taskFile, taskMaster, specKit, beads }))("%s", (_name, sample) => {
    fc.assert(fc.property(sample, anyProgress, fc.nat({ max: 50 }), holds), { numRuns: RUNS });
  });
});

describe("any text at all", () => {
  it("is read or refused with a sentence, never anything else", () => {
    const paths = fc.constantFrom("a.md", "task-1.md", "tasks.json", "issues.jsonl");
    const pieces = fc.array(
      fc.oneof(
        word,
        fc.constantFrom(
          "# Task 1: x\n",
          "| Status | pending |\n",
          "- [ ] T001 a\n",
          '{"tasks":[',
          '{"id":1',
          "]}",
          "\n",
          "```\n",
        ),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(paths, pieces, (path, parts) => {
        try {
          readSource(parts.join(""), path, ANY_TAG);
        } catch (error) {
          expect(error).toMatchObject({ code: "cannot-read", hint: expect.stringMatching(/\S/) as string });
        }
      }),
      { numRuns: RUNS },
    );
  });
});
