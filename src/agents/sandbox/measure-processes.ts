import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { readProcessTable } from "../process-group/process-table.ts";

/** An empty file takes memory of the kernel. */
const SMALLEST = 1024;

/** Where the processes of a gate can be looked at. */
export interface ProcessGallery {
  /** A folder as `/proc` is. */
  readonly place: string;
  readonly pids: () => readonly string[];
  /** File systems of its own that live in memory. */
  readonly inMemory: () => readonly string[];
}

/**
 * The sandbox has its own process table; besides the program it contains only its first process, which waits. All its
 * layers are in one file system: what is free there can be asked at any layered place.
 */
export function galleryOfSandbox(first: number, layeredPlace: string | null): ProcessGallery {
  const root = `/proc/${first}/root`;
  const place = `${root}/proc`;
  const inMemory = ["/tmp", "/dev/shm", ...(layeredPlace === null ? [] : [layeredPlace])].map((path) => root + path);
  return {
    place,
    pids: () => (isOther(place, "/proc") ? namesIn(place).filter((name) => /^\d+$/.test(name) && name !== "1") : []),
    inMemory: () => (isOther(place, "/proc") ? inMemory : []),
  };
}

/** While the sandbox is being built, its first process still sees our own folders. */
function isOther(place: string, ours: string): boolean {
  try {
    return statSync(place).dev !== statSync(ours).dev;
  } catch {
    return false;
  }
}

/** Without a sandbox: the processes that still descend from the leader. */
export function galleryBelow(leader: number): ProcessGallery {
  return { place: "/proc", pids: () => descendantsOf(leader), inMemory: () => [] };
}

function descendantsOf(leader: number): string[] {
  const table = readProcessTable();
  const found = new Set([leader]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid);
  }
  return [...found].map(String);
}

interface ProcessSize {
  /** Private memory in bytes, without shared programs and libraries. */
  readonly memory: number;
  readonly threads: number;
}

const ANYWAY = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;
const SHARED_OUT = /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm;

/** Cheap, and too high where processes share what they have written. */
export function measureProcesses({ place, inMemory }: ProcessGallery, pids: readonly string[]): ProcessSize {
  let memory = sizeInMemory(inMemory());
  let threads = 0;
  for (const pid of pids) {
    const status = readQuietly(`${place}/${pid}/status`);
    memory += sumOf(status, ANYWAY);
    threads += sumOf(status, /^Threads:\s+(\d+)$/gm, 1);
  }
  return { memory, threads };
}

/** Dear, and exact: what is shared by many counts once. */
export function measureMemory({ place, inMemory }: ProcessGallery, pids: readonly string[]): number {
  let memory = sizeInMemory(inMemory());
  for (const pid of pids) {
    const shares = readQuietly(`${place}/${pid}/smaps_rollup`);
    memory += shares === "" ? sumOf(readQuietly(`${place}/${pid}/status`), ANYWAY) : sumOf(shares, SHARED_OUT);
  }
  return memory;
}

function sumOf(text: string, pattern: RegExp, unit = 1024): number {
  let sum = 0;
  for (const [, number] of text.matchAll(pattern)) sum += Number(number) * unit;
  return sum;
}

function sizeInMemory(places: readonly string[]): number {
  return places.reduce((sum, place) => sum + usedOf(place), 0);
}

function usedOf(place: string): number {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(place);
    return (blocks - bfree) * bsize + (files - ffree) * SMALLEST;
  } catch {
    return 0;
  }
}

/** Processes come and go while we look. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
