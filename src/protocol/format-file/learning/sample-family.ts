import type { SampleDocument } from "./sample-documents.ts";

/** Documents that are of one kind, by their syntax and the keys at their root. */
export interface SampleFamily {
  readonly documents: readonly SampleDocument[];
  /** How many files have one. */
  readonly files: number;
}

/** So much of the keys of two documents of one kind is the same. */
const SAME = 0.5;
/** Or so much of the smaller one, if these are many: some documents have far more optional keys than others. */
const SAME_OF_SMALLER = 0.6;
const MANY = 5;

const MAX_KEYS = 60;
const MAX_GROUPS = 100;

interface Group {
  readonly members: SampleDocument[];
  /** How many of them have each key. */
  readonly keys: Map<string, number>;
  /** The keys of half of them, or more. */
  core: ReadonlySet<string>;
}

/** The kinds of documents, the one that most files have first. Of several in a file that are alike the last counts. */
export function sampleFamilies(documents: readonly SampleDocument[]): SampleFamily[] {
  const groups: Group[] = [];
  for (const document of documents) {
    const keys = new Set(document.keys.slice(0, MAX_KEYS));
    const group = groups.find(({ members, core }) => members[0]?.syntax === document.syntax && areAlike(keys, core));
    if (group !== undefined) join(group, document, keys);
    else if (groups.length < MAX_GROUPS)
      groups.push({ members: [document], keys: new Map([...keys].map((key) => [key, 1])), core: keys });
  }
  return groups.map(({ members }) => lastOfEachFile(members)).sort((left, right) => weight(right) - weight(left));
}

function join(group: Group, document: SampleDocument, keys: ReadonlySet<string>): void {
  group.members.push(document);
  for (const key of keys) group.keys.set(key, (group.keys.get(key) ?? 0) + 1);
  const half = group.members.length / 2;
  group.core = new Set([...group.keys].filter(([, times]) => times >= half).map(([key]) => key));
}

/** Files first; of kinds that as many files have, the one with more to say. */
function weight({ documents, files }: SampleFamily): number {
  const keys = documents.reduce((sum, { keys: own }) => sum + own.length, 0) / documents.length;
  return files + Math.min(keys, 999) / 1000;
}

function lastOfEachFile(members: readonly SampleDocument[]): SampleFamily {
  const byFile = new Map(members.map((document) => [document.file, document]));
  return { documents: [...byFile.values()], files: byFile.size };
}

function areAlike(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const same = commonKeys(left, right);
  const smaller = Math.min(left.size, right.size);
  return same >= SAME * (left.size + right.size - same) || (same >= MANY && same >= SAME_OF_SMALLER * smaller);
}

function commonKeys(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let same = 0;
  for (const key of left) if (right.has(key)) same++;
  return same;
}
