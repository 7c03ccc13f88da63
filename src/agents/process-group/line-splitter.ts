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
