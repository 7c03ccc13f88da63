import type { NoteBlock } from "./note-blocks.ts";
import type { Label, NoteSpan } from "./note-text.ts";
import type { SentenceTopic, Topic } from "./note-titles.ts";
import { type OwnTopic, isAsked, ownTopic, saysNotDone, tellsResult } from "./note-topics.ts";
import { isOutcomeLabel, outcomeWord } from "./stated-outcome.ts";

/** A sentence of a block, and what stands around it. */
export interface NoteStatement {
  readonly block: NoteBlock;
  readonly sentence: NoteSpan;
  readonly label: Label | null;
  /** Its words, with quoted ones hidden. */
  readonly shown: string;
  readonly isFirst: boolean;
}

/** What a statement is about. In a list, what follows a first statement goes on with it, unless it begins anew. */
export function topicOf(statement: NoteStatement, follows: boolean): Topic | null {
  const told = toldTopic(statement);
  const own = follows && statement.block.kind === "item" && told?.isLead !== true ? null : told;
  const announced = announcedTopic(statement, own);
  const marked = statement.isFirst ? markedTopic(statement.block, announced, own) : undefined;
  if (marked !== undefined) return marked;
  const topic = announced ?? own?.topic ?? null;
  return topic === null || saysNothing(statement, topic, own) ? null : topic;
}

/** `Status: done` says how all of it ended, and no more than that. */
function toldTopic({ block, shown, label }: NoteStatement): OwnTopic | null {
  const own = ownTopic(shown, label);
  // "Then silence" in a list tells how something goes.
  if (block.kind === "item" && own?.topic === "step" && /^\W{0,6}then\b/i.test(shown)) return null;
  return label !== null && isOutcomeLabel(label) && own?.topic !== "blocker" ? null : own;
}

/** A command under "Tests", a thing that was not done, a decision of one word. */
function saysNothing({ shown }: NoteStatement, topic: Topic, own: OwnTopic | null): boolean {
  if (topic === "test") return own?.topic !== "test" && !tellsResult(shown);
  if (topic === "done") return saysNotDone(shown);
  return topic === "decision" && !/\S\s+\S/.test(shown);
}

function topicsAbove({ block }: NoteStatement): readonly Topic[] {
  return isDetail(block) ? [] : block.context.topics.filter((topic) => topic !== "outcome");
}

/** What the headings and labels above say of a statement, when its own words do not say otherwise. */
function announcedTopic(statement: NoteStatement, own: OwnTopic | null): Topic | null {
  if (own?.isLead === true) return null;
  const { isFirst } = statement;
  const topics = topicsAbove(statement);
  if (own !== null && topics.includes(own.topic)) return own.topic;
  const [first] = topics.filter((topic) => topic !== "files");
  if (first !== undefined) return headedTopic(statement, first, topics);
  if (own !== null) return isFirst && topics.length > 0 ? own.topic : null;
  if (topics.length > 0) return isFirst ? "files" : null;
  return tellsState(statement) ? "summary" : null;
}

/** Below "Status" or "Result" a paragraph that is no word for an outcome sums up. */
function tellsState({ block, label, shown, isFirst }: NoteStatement): boolean {
  const isHeaded = block.kind === "paragraph" && block.context.topics.includes("outcome");
  return isHeaded && isFirst && label === null && outcomeWord(shown) === null && /\p{L}\s+\p{L}/u.test(shown);
}

function headedTopic({ block, shown, isFirst }: NoteStatement, first: Topic, topics: readonly Topic[]): Topic | null {
  if (ASKABLE.has(first) && isAsked(shown)) return "question";
  if (!isFirst && !(block.kind === "paragraph" && ONE_PER_SENTENCE.has(first))) return null;
  return first === "question" && topics.includes("step") ? "step" : first;
}

/** What ends with a question mark under such a heading is asked. */
const ASKABLE: ReadonlySet<Topic> = new Set<Topic>(["step", "decision", "done"]);

/** Paragraphs under such a heading say one thing in each sentence. */
const ONE_PER_SENTENCE: ReadonlySet<Topic> = new Set<Topic>(["step", "question", "test"]);

/** A box or sign decides under these. */
const MARKABLE: ReadonlySet<Topic | null> = new Set<Topic | null>([null, "done", "step", "files", "summary"]);

/** Undefined when the block has no mark that decides. */
function markedTopic({ mark }: NoteBlock, announced: Topic | null, own: OwnTopic | null): Topic | null | undefined {
  if (mark === null || own?.isLead === true || !MARKABLE.has(announced)) return undefined;
  if (mark === "warning") return "gotcha";
  if (own?.topic === "test") return "test";
  if (mark === "failed") return null;
  return mark === "ticked" ? "done" : "step";
}

/** It stands below an item, and says more about it. */
export function isDetail({ above }: NoteBlock): boolean {
  return above !== null && above.kind !== "row" && !above.isLabel;
}

/** Whether a sentence without a topic of its own goes on with the item before it. */
export function goesOn({ block, shown }: NoteStatement, topic: SentenceTopic): boolean {
  if (topic === "done" && saysNotDone(shown)) return false;
  if (block.kind === "item" || block.context.topics.includes(topic)) return true;
  if (topic === "summary" && block.context.topics.includes("outcome")) return true;
  return /^\W{0,4}(?:and|but|so|it|its|this|that|these|they|also|or|otherwise|therefore)\b/i.test(shown.slice(0, 20));
}

/** A statement about a file may be one of what was done, or stand in a list of files. */
export function mayBeAboutFile({ block, shown, isFirst }: NoteStatement, topic: Topic | null): boolean {
  if (topic !== null && topic !== "done" && topic !== "files" && topic !== "summary") return false;
  return (isFirst && block.context.topics.includes("files")) || !saysNotDone(shown);
}
