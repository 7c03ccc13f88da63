import { AppError } from "../shared/app-error.ts";

/** A database in which hosts share the state of one repository. */
export interface SharedStore {
  readonly url: string;
  /** Where the tables of Baton are; those of the engine stand beside it. */
  readonly schema: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The operator names it in the environment. The repository cannot, and agents are not given the variable. Null where
 * the state is in files.
 */
export function sharedStoreOf(environment: Environment): SharedStore | null {
  const given = environment["BATON_STORE"] ?? "";
  if (given === "") return null;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol))
    throw new AppError(
      "wrong-usage",
      "BATON_STORE is not the address of a Postgres database.",
      "Write postgres://USER@HOST/DATABASE, with ?schema=NAME for another schema than baton; unset it to keep state in files.",
    );
  const schema = url.searchParams.get("schema") ?? "baton";
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw new AppError(
      "wrong-usage",
      "The schema in BATON_STORE is not a plain name.",
      "Use small letters, digits and _, at most 41 of them.",
    );
  url.searchParams.delete("schema");
  return { url: url.href, schema };
}

/** The queues of pg-boss for a store. */
export function queuesOf({ url, schema }: SharedStore): {
  readonly url: string;
  readonly schema: string;
  readonly prefix: string;
} {
  return { url, schema: `${schema}_jobs`, prefix: `${schema}/1` };
}
