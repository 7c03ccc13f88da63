/**
 * Reads valid JSON character by character, and knows every key that stood in its record before. It is slow
 * and plain, so that it can be believed. (JSON.parse itself cannot always be: in V8 13 it may misread a key
 * that is written with escapes, depending on what it read earlier.)
 */
export class ExactJson {
  /** The value, as JSON.parse is specified to give it: the last of several equal keys wins. */
  readonly value: unknown;
  /** Offsets of the keys that stand in their record for a second or later time, in order. */
  readonly repeated: number[] = [];
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.value = this.#read();
    this.repeated.sort((left, right) => left - right);
  }

  #read(): unknown {
    this.#space();
    const sign = this.#text[this.#at];
    const value =
      sign === "{" ? this.#record() : sign === "[" ? this.#list() : sign === '"' ? this.#string() : this.#word();
    this.#space();
    return value;
  }

  #record(): object {
    const record = {};
    const seen = new Set<string>();
    this.#items("}", () => {
      this.#space();
      const start = this.#at;
      const name = this.#string();
      if (seen.has(name)) this.repeated.push(start);
      seen.add(name);
      this.#space();
      this.#at++;
      Object.defineProperty(record, name, { value: this.#read(), enumerable: true, configurable: true });
    });
    return record;
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    this.#items("]", () => list.push(this.#read()));
    return list;
  }

  #items(close: string, item: () => void): void {
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== close) {
      item();
      this.#space();
      if (this.#text[this.#at] === ",") this.#at++;
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    return JSON.parse(this.#text.slice(start, ++this.#at)) as string;
  }

  #word(): unknown {
    const start = this.#at;
    while (/[-+.\w]/.test(this.#text[this.#at] ?? "")) this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

/** Equal in every own key, `__proto__` among them, and in the sign of zero. */
export function sameOwn(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return Object.is(left, right);
  const keys = Object.keys(left);
  return (
    Array.isArray(left) === Array.isArray(right) &&
    keys.length === Object.keys(right).length &&
    keys.every((name) => Object.hasOwn(right, name) && sameOwn(own(left, name), own(right, name)))
  );
}

export function own(record: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(record, name)?.value;
}
