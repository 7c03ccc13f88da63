/** One subject of a comparison: it is called over and over, and its result is looked at. */
interface Subject {
  readonly name: string;
  run(): unknown;
}

/** A batch is this long, so that the clock's microsecond and the loop around the call do not count. */
const BATCH_MICROSECONDS = 2_000;
/** The engine optimises in steps: code with many functions needs tens of thousands of calls before it is done. */
const WARM_UP_MILLISECONDS = 1_200;

/**
 * CPU time of one call of each subject, in nanoseconds: the median over many rounds. In each round every
 * subject runs one batch, in turn, so that whatever else the machine does falls on all of them alike.
 */
export function measure(subjects: readonly Subject[], milliseconds: number): number[] {
  for (const subject of subjects) warmUp(subject);
  const batches = subjects.map(callsPerBatch);
  const samples = subjects.map((): number[] => []);
  const end = performance.now() + milliseconds;
  for (let round = 0; performance.now() < end || round < FEWEST_ROUNDS; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      // Whoever comes first pays for what the round before left behind: take turns.
      const index = (turn + round) % subjects.length;
      const calls = batches[index] ?? 1;
      samples[index]?.push((batchTime(subjects[index] as Subject, calls) / calls) * 1_000);
    }
  }
  return samples.map(median);
}

const FEWEST_ROUNDS = 15;

function warmUp(subject: Subject): void {
  const end = performance.now() + WARM_UP_MILLISECONDS;
  while (performance.now() < end) keep(subject.run());
}

function callsPerBatch(subject: Subject): number {
  let calls = 1;
  while (batchTime(subject, calls) < BATCH_MICROSECONDS) calls *= 2;
  return calls;
}

function batchTime(subject: Subject, calls: number): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) keep(subject.run());
  const used = process.cpuUsage(before);
  return used.user + used.system;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Exported, so that the engine cannot leave out work whose result is not used. */
export let lastResult: unknown;

function keep(value: unknown): void {
  lastResult = value;
}
