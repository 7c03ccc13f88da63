import type { StatementSync } from "node:sqlite";
import { asForeignTables } from "./sqlite-error.ts";

/** Statements by their names. Each is prepared when it is first used: most processes use few of them. */
export function prepareOnUse<Name extends string>(
  sql: Readonly<Record<Name, string>>,
  prepare: (text: string) => StatementSync,
): Readonly<Record<Name, StatementSync>> {
  const statements: Partial<Record<Name, StatementSync>> = {};
  for (const [name, text] of Object.entries<string>(sql))
    Object.defineProperty(statements, name, {
      configurable: true,
      get(): StatementSync {
        const value = prepareOne(text, prepare);
        Object.defineProperty(statements, name, { value });
        return value;
      },
    });
  return statements as Readonly<Record<Name, StatementSync>>;
}

function prepareOne(text: string, prepare: (text: string) => StatementSync): StatementSync {
  try {
    return prepare(text);
  } catch (error) {
    throw asForeignTables(error);
  }
}
