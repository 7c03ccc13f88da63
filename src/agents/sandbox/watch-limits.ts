import type { CommandEnd } from "../../ports/command-runner.ts";
import { bytesWrittenBy, countDiskBytes, freeBytes, type OldSizes, type Writer } from "./measure-disk.ts";
import { measureMemory, measureProcesses, type ProcessGallery } from "./measure-processes.ts";

interface SandboxLimits {
  readonly memory: number;
  readonly processes: number;
  readonly disk: number;
}

export type Excess = Extract<CommandEnd, "out-of-memory" | "out-of-disk" | "too-many-processes">;

/** A process of today has some threads; one with thousands is a bomb as well. */
export const THREADS_A_PROCESS = 16;
/** A program that stops at the limit, as the kernel makes it, is as much beyond as one that was a block further. */
const BLOCK = 65_536;

/** How often is looked in milliseconds; and after a look that took long, how many times longer is waited. */
const PAUSE = 20;
const PAUSE_TIMES = 10;
const MAX_PAUSE = 200;
/** Files are counted without a reason too, now and then: others may have freed what the gate has taken. */
const COUNT_PAUSE = 2000;
const COUNT_PAUSE_TIMES = 20;

/** Looks at what a gate uses while it runs, and tells once when that is too much. */
export class LimitWatch {
  readonly #limits: SandboxLimits;
  readonly #writer: Writer;
  readonly #exceeded: (excess: Excess) => void;
  #gallery: ProcessGallery | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** When less of the disk is free than this, or its processes have written more, or it is so late, files are counted: first at once, to know the old ones. */
  #least: number;
  #max: number;
  #latest = performance.now();
  readonly #oldSizes: OldSizes = new Map();
  #counting: Promise<boolean> | null = null;
  #isOver = false;

  constructor(limits: SandboxLimits, writer: Writer, exceeded: (excess: Excess) => void) {
    this.#limits = limits;
    this.#writer = writer;
    this.#exceeded = exceeded;
    this.#max = limits.disk - BLOCK;
    this.#least = freeOrZero(writer.directory) - this.#max;
  }

  start(): void {
    this.#timer = setTimeout(() => this.#look(), PAUSE);
  }

  /** From when its processes can be looked at. */
  lookAt(gallery: ProcessGallery): void {
    this.#gallery = gallery;
  }

  /** A process that has ended may have filled the disk before the next measurement. */
  async end(): Promise<Excess | null> {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#counting;
    return (await this.#isDiskFull()) ? "out-of-disk" : null;
  }

  #look(): void {
    const before = performance.now();
    const excess = this.#lookAtProcesses();
    if (excess !== null) return this.#tell(excess);
    // Files may take long to count: the processes are watched meanwhile.
    this.#counting ??= this.#countFiles();
    const pause = PAUSE_TIMES * (performance.now() - before);
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(PAUSE, pause), MAX_PAUSE));
  }

  async #countFiles(): Promise<boolean> {
    const isFull = await this.#isDiskFull();
    this.#counting = null;
    if (isFull) this.#tell("out-of-disk");
    return isFull;
  }

  #tell(excess: Excess): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#exceeded(excess);
  }

  /** Counted first: of a thousand forks none has to be looked at. */
  #lookAtProcesses(): Excess | null {
    const gallery = this.#gallery;
    if (gallery === null) return null;
    const { memory, processes } = this.#limits;
    const pids = gallery.pids();
    if (pids.length > processes) return "too-many-processes";
    const size = measureProcesses(gallery, pids);
    if (size.threads > processes * THREADS_A_PROCESS) return "too-many-processes";
    return size.memory > memory && measureMemory(gallery, pids) > memory ? "out-of-memory" : null;
  }

  /** That the disk has lost much or that much was written proves nothing, and is only the reason to count. */
  async #isDiskFull(): Promise<boolean> {
    const before = performance.now();
    const gallery = this.#gallery;
    const written = gallery === null ? 0 : bytesWrittenBy(gallery);
    const hasEvidence = freeOrZero(this.#writer.directory) <= this.#least || written >= this.#max;
    if (!hasEvidence && before < this.#latest) return false;
    const limit = this.#limits.disk - BLOCK;
    const counted = await countDiskBytes(
      this.#writer,
      gallery,
      hasEvidence ? "evidence" : "none",
      limit,
      this.#oldSizes,
    );
    if (counted >= limit) return true;
    const room = Math.max(limit - counted, limit / 8);
    this.#least = freeOrZero(this.#writer.directory) - room;
    this.#max = written + room;
    const now = performance.now();
    this.#latest = now + Math.max(COUNT_PAUSE, COUNT_PAUSE_TIMES * (now - before));
    return false;
  }
}

function freeOrZero(directory: string): number {
  try {
    return freeBytes(directory);
  } catch {
    return 0;
  }
}
