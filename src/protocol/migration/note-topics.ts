import { type Label, plainTitle } from "./note-text.ts";

/** What a statement of a note can be about. */
export type Topic = "files" | "reading" | "gotcha" | "pattern" | "question" | "step" | "blocker";

/** What was done to a file; `extended` when something was added to it. */
export type Change = "created" | "modified" | "deleted" | "refactored" | "extended";

/** What a heading or label says of the statements below it. */
export interface Context {
  readonly topics: readonly Topic[];
  readonly change: Change | null;
}

export const NO_CONTEXT: Context = { topics: [], change: null };

/** Words that say that something was done to a file; `added` alone may mean the file or something in it. */
export const CHANGE_WORDS: ReadonlyMap<string, Change> = new Map([
  ["created", "created"],
  ["new", "created"],
  ["added", "created"],
  ["modified", "modified"],
  ["changed", "modified"],
  ["updated", "modified"],
  ["edited", "modified"],
  ["fixed", "modified"],
  ["deleted", "deleted"],
  ["removed", "deleted"],
  ["refactored", "refactored"],
]);

const TITLES: Readonly<Record<Exclude<Topic, "files">, readonly string[]>> = {
  reading: [
    "files to read",
    "files to review",
    "files to read first",
    "read first",
    "read these first",
    "dependencies for next",
  ],
  gotcha: ["gotcha", "warning", "caveat", "pitfall", "watch out", "watch out for", "be careful", "careful", "beware"],
  pattern: ["pattern", "pattern discovered", "pattern found", "pattern used", "pattern to follow", "always use"],
  question: ["question", "open question", "unresolved question", "unanswered question", "unclear", "open point"],
  step: [
    "next",
    "then",
    "next step",
    "suggested next step",
    "recommended next step",
    "next action",
    "next task",
    "what's next",
    "what is next",
    "todo",
    "to do",
    "remaining",
    "remaining work",
    "remaining step",
    "follow-up",
    "follow up",
    "future work",
  ],
  blocker: ["blocker", "blocked by", "blocked on", "blocking issue"],
};

const TOPIC_OF: ReadonlyMap<string, Topic> = new Map(
  Object.entries(TITLES).flatMap(([topic, titles]) =>
    titles.map((title) => [singular(title), topic as Topic] as const),
  ),
);

const MAX_TITLE = 80;

/** What a heading or label announces; null when it announces nothing that a handoff has a place for. */
export function contextOf(title: string): Context | null {
  if (title.length > MAX_TITLE) return null;
  const plain = plainTitle(title);
  const topics = new Set<Topic>();
  for (const part of plain.split(/\s*(?:[/&,+]|\band\b|\bor\b)\s*/)) {
    const topic = titleTopic(singular(part));
    if (topic !== undefined) topics.add(topic);
  }
  if (topics.size > 0) return { topics: [...topics], change: null };
  return filesContext(plain);
}

/** "Known gotchas for the next agent" is a title for gotchas. */
function titleTopic(title: string): Topic | undefined {
  const bare = title.replace(/^(?:the|known|key|important|some|other) /, "");
  const tail = /[ ](?:for|in|from|of|with|about)[ ]/.exec(bare);
  return TOPIC_OF.get(bare) ?? (tail === null ? undefined : TOPIC_OF.get(bare.slice(0, tail.index)));
}

function singular(title: string): string {
  return title
    .split(" ")
    .map((word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word))
    .join(" ");
}

/** Titles such as "Files created", "New files", "Deleted", "What changed". Plans announce nothing that was done. */
function filesContext(plain: string): Context | null {
  const words = plain.split(/[^\p{L}']+/u).filter((word) => word !== "");
  if (words.some((word) => word === "to" || word === "not" || word === "planned" || word === "expected")) return null;
  const changes = new Set(words.flatMap((word) => CHANGE_WORDS.get(word) ?? []));
  const aboutFiles = words.some((word) => /^(?:files?|paths?)$/.test(word));
  const onlyChanges =
    words.length > 0 && words.every((word) => CHANGE_WORDS.has(word) || word === "and" || word === "or");
  const general = /^(?:what |all |key |main )?chang(?:ed|es)\b/.test(plain);
  if (!aboutFiles && !onlyChanges && !general) return null;
  // "Files changed" is how people head a list of everything they touched, new files too.
  const [change] = words.includes("changed") || changes.size !== 1 ? [] : changes;
  return { topics: ["files"], change: change ?? null };
}

/** Sections that say what was asked, not what was done. */
export function isBackground(title: string): boolean {
  const plain = plainTitle(title);
  return /^(?:metadata|objectives?|assignment|inputs?|requirements?|scope|instructions?|context|context provided)$|^(?:acceptance|success) criteria|^expected\b|^how to\b/.test(
    plain,
  );
}

export function isHandoffTitle(title: string): boolean {
  return /^handoff(?: notes?)?:?$/i.test(title);
}

export interface StatementTopics {
  /** Topics that the words of the statement name plainly. */
  readonly strong: readonly Topic[];
  /** Topics that a word in it hints at. */
  readonly weak: readonly Topic[];
}

const PLAIN_WORDS: readonly (readonly [RegExp, Topic])[] = [
  [/\bwatch out\b|\bbe careful\b|\bbeware\b/i, "gotcha"],
  [/\balways use\b/i, "pattern"],
  [/\bunclear\b/i, "question"],
  [/^\W{0,6}blocked (?:by|on)\b/i, "blocker"],
];

const HINTS: readonly (readonly [RegExp, Topic])[] = [
  [/^\W{0,6}(?:then|next)\b|\bshould\b/i, "step"],
  [/\bpatterns?\b/i, "pattern"],
  [/^\W{0,6}questions?\b/i, "question"],
];

/** The topic that a label names, when it says nothing else. */
export function labelTopic(label: Label): Topic | undefined {
  return TOPIC_OF.get(singular(label.name));
}

/** What a statement is about by its own words. `shown` is the statement with quoted words hidden. */
export function topicsOf(shown: string, label: Label | null): StatementTopics {
  const labelled = label === null ? undefined : labelTopic(label);
  const strong = new Set(labelled === undefined ? [] : [labelled]);
  for (const [words, topic] of PLAIN_WORDS) if (words.test(shown)) strong.add(topic);
  if (/\?[*_)\]!?.\s]*$/.test(shown.slice(-12))) strong.add("question");
  const weak = HINTS.filter(([words]) => words.test(shown)).map(([, topic]) => topic);
  return { strong: [...strong], weak };
}
