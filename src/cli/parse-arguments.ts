import { ownValue } from "../shared/json-value.ts";
import { AppError } from "../shared/app-error.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { nearestWord } from "../shared/nearest-word.ts";

/** `--name value`, `--name=value`, switches, operands in any order; after `--` everything is an operand. */
export function parseArguments(command: Command, args: readonly string[]): Invocation {
  const values = new Map<string, string[]>();
  const texts = (option: string): readonly string[] => values.get(option) ?? [];
  const operands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    if (argument === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!argument.startsWith("-") || argument === "-") {
      operands.push(argument);
      continue;
    }
    const [name, inline] = splitOption(argument);
    const option = findOption(command, name, argument);
    if (option.value === undefined) {
      if (inline !== undefined) throw usage(command, `--${name} takes no value.`);
      values.set(name, []);
    } else values.set(name, [...texts(name), checked(command, name, option, inline ?? args[++index])]);
  }
  return { operands, text: (option) => texts(option).at(-1), texts, has: (option) => values.has(option) };
}

function splitOption(argument: string): [string, string | undefined] {
  const name = argument === "-h" ? "help" : argument.replace(/^--?/, "");
  const equals = name.indexOf("=");
  return equals === -1 ? [name, undefined] : [name.slice(0, equals), name.slice(equals + 1)];
}

function findOption(command: Command, name: string, argument: string): Option {
  const option = ownValue(command.options, name);
  if (option !== undefined && (argument.startsWith("--") || argument === "-h")) return option;
  const near = guessWord(name, Object.keys(command.options));
  throw usage(command, `There is no option ${argument}.`, near === null ? undefined : `Did you mean --${near}?`);
}

function checked(command: Command, name: string, option: Option, value: string | undefined): string {
  if (value === undefined) throw usage(command, `--${name} needs a value: ${option.value}.`);
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usage(command, `--${name} is one of ${option.choices.join(", ")}; found "${value}".`);
  }
  return value;
}

export function usage(
  command: Pick<Command, "name">,
  message: string,
  hint = `baton ${command.name} --help shows how it is used.`,
): AppError {
  return new AppError("wrong-usage", message, hint);
}

/** What was most likely meant, also when its letters are in another order: `--breif`. */
export function guessWord(text: string, choices: readonly string[]): string | null {
  const letters = sortedLetters(text);
  return nearestWord(text, choices) ?? choices.find((choice) => sortedLetters(choice) === letters) ?? null;
}

function sortedLetters(word: string): string {
  return [...word.toLowerCase()].sort().join("");
}
