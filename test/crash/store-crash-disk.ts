import type { DiskCall } from "./store-recording.ts";

type Change = Extract<DiskCall, { kind: "write" | "truncate" }>;

/** A file by its content, whatever name the folder has for it. */
interface Inode {
  durable: Buffer;
  pending: Change[];
}

type Naming =
  | { readonly kind: "create"; readonly file: string; readonly inode: Inode }
  | { readonly kind: "unlink"; readonly file: string };

/** What a sector is to a disk: it is written wholly or not at all. */
const SECTOR = 512;

/**
 * A disk that keeps what was synced and may keep, drop or tear anything else. Changes of names reach the disk in
 * order, as journalling file systems do it; changes of content in any combination.
 */
export class CrashDisk {
  readonly #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #pendingNames: Naming[] = [];

  apply(call: DiskCall): void {
    if (call.kind === "write" || call.kind === "truncate") this.#inode(call.file).pending.push(call);
    else if (call.kind === "sync") sync(this.#inode(call.file));
    else if (call.kind === "sync-folder") this.#syncFolder();
    else if (call.kind !== "said") this.#rename(call.kind === "create" ? "create" : "unlink", call.file);
  }

  /** The files after a loss of power now, as chance has it. */
  crash(chance: () => number): Map<string, Buffer> {
    const names = new Map(this.#durableNames);
    const reached = Math.floor(chance() * (this.#pendingNames.length + 1));
    for (const naming of this.#pendingNames.slice(0, reached)) applyNaming(names, naming);
    return new Map([...names].map(([file, inode]) => [file, contentAfterCrash(inode, chance)]));
  }

  #inode(file: string): Inode {
    const inode = this.#names.get(file);
    if (inode === undefined) throw new Error(`${file} is not there`);
    return inode;
  }

  #rename(kind: "create" | "unlink", file: string): void {
    const naming: Naming =
      kind === "unlink" ? { kind, file } : { kind, file, inode: { durable: Buffer.alloc(0), pending: [] } };
    applyNaming(this.#names, naming);
    this.#pendingNames.push(naming);
  }

  #syncFolder(): void {
    this.#durableNames = new Map(this.#names);
    this.#pendingNames = [];
  }
}

function applyNaming(names: Map<string, Inode>, naming: Naming): void {
  if (naming.kind === "create") names.set(naming.file, naming.inode);
  else names.delete(naming.file);
}

/** Changes in place what nobody else holds: the durable content of an inode is never given out. */
function sync(inode: Inode): void {
  for (const change of inode.pending) inode.durable = applied(inode.durable, change);
  inode.pending = [];
}

function contentAfterCrash(inode: Inode, chance: () => number): Buffer {
  let content: Buffer = Buffer.from(inode.durable);
  // Some losses take nearly everything, some nearly nothing: both ends are where mistakes hide.
  const kept = chance();
  for (const change of inode.pending) {
    if (chance() >= kept) continue;
    content = applied(content, chance() < 0.2 ? torn(change, chance) : change);
  }
  return content;
}

function applied(content: Buffer, change: Change): Buffer {
  if (change.kind === "truncate") return resized(content, change.size);
  const end = change.offset + change.bytes.length;
  const large = end > content.length ? resized(content, end) : content;
  change.bytes.copy(large, change.offset);
  return large;
}

function resized(content: Buffer, size: number): Buffer {
  if (size <= content.length) return content.subarray(0, size);
  const larger = Buffer.alloc(size);
  content.copy(larger);
  return larger;
}

/** Only some sectors, from the front or from the back. */
function torn(change: Change, chance: () => number): Change {
  if (change.kind === "truncate") return change;
  const cut = Math.floor((chance() * change.bytes.length) / SECTOR) * SECTOR;
  if (chance() < 0.5) return { ...change, bytes: change.bytes.subarray(0, cut) };
  return { ...change, offset: change.offset + cut, bytes: change.bytes.subarray(cut) };
}
