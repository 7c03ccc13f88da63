import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ForgeError } from "../../ports/forge.ts";
import { type JsonRecord, isRecord } from "../../shared/json-value.ts";

/**
 * Issues and pull requests, a JSON file each: `items/71.json`. They share their numbers. A file is made under its
 * number by a link, which only one of many can make, and replaced by a rename: a half-written one is never visible.
 */
export class Items {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(number: number): Promise<JsonRecord | null> {
    if (!Number.isSafeInteger(number) || number < 1) return null;
    const path = this.#path(number);
    const text = await readSmall(path);
    if (text === null) return null;
    const item = parse(text);
    if (!isRecord(item)) throw new ForgeError(`${path} holds no issue and no pull request: it is no JSON record`);
    return item;
  }

  async numbers(): Promise<number[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names
      .flatMap((name) => (/^[1-9]\d{0,14}\.json$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .sort((left, right) => left - right);
  }

  /** Under the next free number, which is given back. */
  async add(item: JsonRecord): Promise<number> {
    await mkdir(this.#folder, { recursive: true });
    const temporary = await this.#write(item);
    try {
      for (let number = ((await this.numbers()).at(-1) ?? 0) + 1; ; number += 1) {
        if (await tryToLink(temporary, this.#path(number))) {
          await syncFolder(this.#folder);
          return number;
        }
      }
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async replace(number: number, item: JsonRecord): Promise<void> {
    await rename(await this.#write(item), this.#path(number));
    await syncFolder(this.#folder);
  }

  async #write(item: JsonRecord): Promise<string> {
    const temporary = join(this.#folder, `.${randomUUID()}.tmp`);
    const file = await open(temporary, "wx", 0o644);
    try {
      await file.writeFile(`${JSON.stringify(item, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return temporary;
  }

  #path(number: number): string {
    return join(this.#folder, `${number}.json`);
  }
}

const LARGEST = 4 * 1024 * 1024;

async function readSmall(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw new ForgeError(`${path} cannot be read: ${error.code ?? error.message}`, false, { cause: error });
    },
  );
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > LARGEST) throw new ForgeError(`${path} is no file of at most 4 MB`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function tryToLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
