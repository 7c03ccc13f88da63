import type { Queries, Values } from "../postgres/connection.ts";

/** Where the tables of facts are asked: the whole database, or one transaction. */
export interface KnowledgeDatabase {
  readonly queries: Queries;
  /** Stands before the name of every table. */
  readonly prefix: string;
}

/** Takes a value of a statement, and returns its place in the text. */
export type Bind = (value: Values[number], type: string) => string;

export class BoundValues {
  readonly values: Values[number][] = [];
  readonly bind: Bind = (value, type) => `$${this.values.push(value)}::${type}`;
}
