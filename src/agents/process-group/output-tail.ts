/** Keeps the end of what was printed: most of an answer stands there, and memory stays bounded. */
export class OutputTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Joined only now and then, so that a million small chunks do not cost a million copies.
    if (this.#size > this.#limit * 2 || this.#chunks.length > 4096) this.#trim();
  }

  /** Bytes that are no UTF-8 become replacement characters; a character cut in half at the start is left out. */
  text(): string {
    this.#trim();
    const bytes = this.#chunks[0] ?? Buffer.alloc(0);
    let start = 0;
    if (bytes.length === this.#limit) while (start < 3 && isContinuation(bytes[start])) start += 1;
    return bytes.toString("utf8", start);
  }

  #trim(): void {
    const all = Buffer.concat(this.#chunks);
    const kept = all.length > this.#limit ? Buffer.from(all.subarray(all.length - this.#limit)) : all;
    this.#chunks = [kept];
    this.#size = kept.length;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
