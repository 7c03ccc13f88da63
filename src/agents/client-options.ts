import { isRecord } from "../shared/json-value.ts";
import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import { nearestWord } from "../shared/nearest-word.ts";
import { cleanEnvironment } from "./process-group/clean-environment.ts";

/**
 * The options of a client, as the workflow gives them. A name that is not known is refused: a misspelt
 * permission that is quietly ignored would be a permission of another kind.
 */
export class ClientOptions {
  readonly #options: JsonRecord;

  constructor(client: string, options: JsonRecord, known: readonly string[]) {
    const names = [...known, "env", "inherit"];
    for (const name of Object.keys(options)) {
      if (names.includes(name)) continue;
      const near = nearestWord(name, names);
      throw new Error(
        `${client} has no option ${name}${near === null ? `; it has ${names.join(", ")}` : `; did you mean ${near}?`}`,
      );
    }
    this.#options = options;
  }

  text(name: string): string | null {
    const value = this.#options[name];
    if (value === undefined || value === null) return null;
    if (typeof value === "string" || typeof value === "number") return String(value);
    throw new Error(`the option ${name} must be a text`);
  }

  texts(name: string): readonly string[] {
    const value = this.#options[name] ?? [];
    const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    return list.map((item) => {
      if (typeof item === "string") return item;
      throw new Error(`the option ${name} must be a list of texts`);
    });
  }

  isSet(name: string): boolean {
    const value = this.#options[name] ?? false;
    if (typeof value === "boolean") return value;
    throw new Error(`the option ${name} must be true or false`);
  }

  /** Settings that the client reads as JSON. */
  json(name: string): string | null {
    const value = this.#options[name];
    if (value === undefined || value === null) return null;
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  /** One of these words, or the first of them. */
  word<const Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word {
    const value = this.text(name) ?? words[0];
    const found = words.find((word) => word === value);
    if (found === undefined) throw new Error(`the option ${name} must be one of ${words.join(", ")}`);
    return found;
  }

  /** The clean environment, with what `inherit` lets through and `env` sets. */
  environment(): Record<string, string> {
    const environment = cleanEnvironment(this.texts("inherit"));
    const given = this.#options["env"] ?? {};
    if (!isRecord(given)) throw new Error("the option env must be a map of texts");
    for (const [name, value] of Object.entries(given)) {
      if (typeof value !== "string") throw new Error("the option env must be a map of texts");
      environment[name] = value;
    }
    return environment;
  }
}

/** `--flag value` when there is a value. */
export function optionFlag(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value];
}

/** `--flag value` for each of them. */
export function flags(name: string, values: readonly string[]): string[] {
  return values.flatMap((value) => [name, value]);
}
