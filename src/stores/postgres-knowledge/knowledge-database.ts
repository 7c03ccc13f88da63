import type { Queries } from "../postgres/connection.ts";

/** Where the tables of facts are asked: the whole database, or one transaction. */
export interface KnowledgeDatabase {
  readonly queries: Queries;
  /** Stands before the name of every table. */
  readonly prefix: string;
}
