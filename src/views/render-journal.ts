import { cell, inert, cutText } from "../shared/envelope.ts";
import { dateOf, utcOf } from "../shared/utc-time.ts";
import type {
  Journal,
  JournalAnswer,
  JournalBlocker,
  JournalFact,
  JournalFile,
  JournalRun,
  JournalRunRow,
  JournalTask,
} from "./journal.ts";

/** The journal as Markdown, in the sections of 003. Text of agents never becomes a heading or a table. */
export function renderJournal(journal: Journal): string {
  const { project, current_run, runs, tasks, decisions, blockers, context_map, history, left_out } = journal;
  const parts = [
    `# Journal of ${text(project.name)}\n\nWritten from the log by \`baton journal\`; whatever is changed here is lost.`,
    section("Project", table(["Property", "Value"], projectRows(journal))),
    section("Current Run", table(["Property", "Value"], currentRows(current_run))),
    section("Orchestration Runs", table(["Run", "Id", "Workflow", "Status", "Started"], runs.map(runRow))),
    section("Task Registry", table(TASK_HEAD, tasks.map(taskRow)), more(left_out.tasks, "Tasks")),
    section(
      "Key Decisions",
      factTable(["ID", "Decision", "Date"], decisions, ({ id, text: said }) => [id, said]),
      more(left_out.decisions, "Decisions"),
    ),
    section("Answers", table(["Question", "Answer", "By", "Task", "Run", "Date"], journal.answers.map(answerRow))),
    section("Active Blockers", table(BLOCKER_HEAD, blockers.map(blockerRow))),
    section(
      "Context Map",
      table(["Component", "Location", "Notes", "Task"], context_map.map(fileRow)),
      more(left_out.context_map, "Files"),
    ),
    learnedSection(journal),
    section(
      "Session Log",
      table(
        ["Time", "What happened"],
        history.map((line) => [utcOf(line.at), line.text]),
      ),
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

function runRow({ number, run, workflow, status, started_at }: JournalRunRow): string[] {
  return [`${number}`, run, workflow, status, utcOf(started_at)];
}

const TASK_HEAD = ["ID", "Name", "Status", "Agent", "Complexity", "Dependencies", "Run", "File"];

function taskRow({ id, name, status, agent, complexity, depends_on, run, file }: JournalTask): string[] {
  return [id, name, status, agent ?? "", complexity ?? "", depends_on.join(", "), run, file ?? ""];
}

function answerRow({ question, answer, by, task, run, at }: JournalAnswer): string[] {
  return [question, answer, by ?? "", task, run, dateOf(at)];
}

const BLOCKER_HEAD = ["Blocker", "Impact", "Proposed Resolution", "Reported by", "Blocks"];

function blockerRow({ blocker, impact, resolution, task, blocks }: JournalBlocker): string[] {
  return [blocker, impact ?? "", resolution ?? "", task, blocks.join(", ")];
}

function fileRow({ path, lines, notes, change, task }: JournalFile): string[] {
  const location = lines === null || lines === "all" ? path : `${path}:${lines}`;
  return [path.slice(path.lastIndexOf("/") + 1), location, notes === null ? change : `${change}: ${notes}`, task];
}

function projectRows({ project, current_run }: Journal): string[][] {
  return [
    ["Name", project.name],
    ["Runs", `${project.runs}`],
    ["About", project.brief === "" ? current_run.workflow : project.brief],
  ];
}

function currentRows(run: JournalRun): string[][] {
  return [
    ["Run", `${run.number} (${run.run})`],
    ["Run Type", run.type],
    ["Workflow", run.workflow],
    ["Phase", run.phase],
    ["Status", run.status],
    ["Round", `${run.iteration}`],
    ["Active Task", run.active.join(", ")],
    ["Progress", `${run.done}/${run.tasks}`],
    ["Blocked", `${run.blocked}`],
    ...run.asks.map((ask) => ["Waits for", ask]),
  ];
}

/** Warnings (003-R24) and patterns of the code. */
function learnedSection({ learned: { patterns, gotchas }, left_out }: Journal): string {
  return [
    "## Learned Context",
    `### Code Patterns\n\n${factTable(["ID", "Pattern", "See", "Date"], patterns, ({ id, text: said, place }) => [id, said, place ?? ""])}${more(left_out.patterns, "Patterns")}`,
    `### Gotchas & Warnings\n\n${factTable(["ID", "Issue", "Mitigation", "Severity", "Discovered"], gotchas, ({ id, text: said, detail, severity }) => [id, said, detail ?? "", severity ?? ""])}${more(left_out.gotchas, "Warnings of any severity")}`,
  ].join("\n\n");
}

const STANDING_NOTES: Readonly<Record<JournalFact["standing"], readonly string[]>> = {
  trusted: [],
  quarantined: ["not proven"],
  changed: ["no longer holds: what it cites has changed"],
  gone: ["no longer holds: what it cites is gone"],
  contradicted: ["in doubt: another fact says the opposite"],
  retired: ["no longer holds: retired"],
};

/** Each row has the day, the source and whether the fact holds. */
function factTable(
  head: readonly string[],
  facts: readonly JournalFact[],
  columns: (fact: JournalFact) => string[],
): string {
  const rows = facts.map((fact) => [
    ...columns(fact),
    dateOf(fact.at),
    [fact.task, fact.agent, fact.handoff.slice(0, 8), ...STANDING_NOTES[fact.standing]].join(", "),
  ]);
  return table([...head, "Source"], rows);
}

function section(title: string, body: string, note = ""): string {
  return `## ${title}\n\n${body}${note}`;
}

/** Says how many rows a shortened list leaves out, and how to see them. */
function more(count: number, what: string): string {
  return count === 0 ? "" : `\n\n${what} not listed here: ${count}. \`baton journal --all\` lists all.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "None.";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(row.map(text)))].join("\n");
}

const LONGEST = 500;

/** Escapes text of agents, so that it has no effect as markup and stays in its cell. */
function text(words: string): string {
  return cutText(cell(inert(words)), LONGEST);
}
