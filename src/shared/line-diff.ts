interface Change {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

const CONTEXT = 2;

/** A unified diff of two texts by lines, with a little context; equal texts give nothing. */
export function diffLines(before: string, after: string): string[] {
  const changes = compareLines(linesOf(before), linesOf(after));
  const near = changes.map((_, index) =>
    changes.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((change) => change.sign !== " "),
  );
  const lines: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let index = 0; index < changes.length;) {
    const end = near[index] === true ? hunkEnd(near, index) : index + 1;
    const hunk = changes.slice(index, end);
    const removed = hunk.filter((change) => change.sign !== "+").length;
    const added = hunk.filter((change) => change.sign !== "-").length;
    if (near[index] === true) {
      lines.push(
        `@@ -${oldLine},${removed} +${newLine},${added} @@`,
        ...hunk.map((change) => change.sign + change.line),
      );
    }
    [oldLine, newLine, index] = [oldLine + removed, newLine + added, end];
  }
  return lines;
}

function hunkEnd(near: readonly boolean[], start: number): number {
  const end = near.indexOf(false, start);
  return end === -1 ? near.length : end;
}

/** The end of the last line does not begin another. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Walks both texts; where they part, looks for the nearest pair of equal lines to meet again. */
function compareLines(before: readonly string[], after: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    if (left < before.length && before[left] === after[right]) {
      changes.push({ sign: " ", line: before[left++] ?? "" });
      right++;
      continue;
    }
    const [removed, added] = nextMeeting(before, after, left, right);
    for (; left < removed; left++) changes.push({ sign: "-", line: before[left] ?? "" });
    for (; right < added; right++) changes.push({ sign: "+", line: after[right] ?? "" });
  }
  return changes;
}

const LOOK_AHEAD = 60;

function nextMeeting(
  before: readonly string[],
  after: readonly string[],
  left: number,
  right: number,
): [number, number] {
  for (let distance = 1; distance <= LOOK_AHEAD; distance++) {
    for (let skipped = 0; skipped <= distance; skipped++) {
      const [one, two] = [left + distance - skipped, right + skipped];
      if (one < before.length && two < after.length && before[one] === after[two]) return [one, two];
    }
  }
  return [before.length, after.length];
}
