interface Change {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

const CONTEXT = 2;

/** A unified diff of two texts by lines, with a little context; equal texts give nothing. */
export function diffLines(before: string, after: string): string[] {
  const changes = compareLines(before.split(/\r?\n/), after.split(/\r?\n/));
  const near = changes.map((_, index) =>
    changes.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((change) => change.sign !== " "),
  );
  const lines: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (const [index, change] of changes.entries()) {
    if (near[index] === true) {
      if (near[index - 1] !== true) lines.push(`@@ -${oldLine} +${newLine} @@`);
      lines.push(change.sign + change.line);
    }
    if (change.sign !== "+") oldLine++;
    if (change.sign !== "-") newLine++;
  }
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
