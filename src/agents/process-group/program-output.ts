import { StringDecoder } from "node:string_decoder";

/** Cuts output into lines as it arrives. A line longer than the limit is handed on in pieces of that length. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #longest: number;
  readonly #decoder = new StringDecoder("utf8");
  /** Pieces of the line that has not ended yet; joined once, so that a long line stays linear. */
  #open: string[] = [];
  #openLength = 0;

  constructor(onLine: (line: string) => void, longest: number) {
    this.#onLine = onLine;
    this.#longest = longest;
  }

  add(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  /** What came after the last line end. */
  end(): void {
    this.#take(this.#decoder.end());
    if (this.#openLength > 0) this.#close();
  }

  #take(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#keep(text.slice(start, end));
      this.#close();
      start = end + 1;
    }
    this.#keep(text.slice(start));
  }

  #keep(piece: string): void {
    let rest = piece;
    while (this.#openLength + rest.length > this.#longest) {
      const room = this.#longest - this.#openLength;
      this.#open.push(rest.slice(0, room));
      this.#close();
      rest = rest.slice(room);
    }
    if (rest === "") return;
    this.#open.push(rest);
    this.#openLength += rest.length;
  }

  #close(): void {
    const line = this.#open.join("");
    this.#open = [];
    this.#openLength = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

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
