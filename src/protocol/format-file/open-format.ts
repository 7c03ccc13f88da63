import { type JsonRecord, printPath } from "../../shared/json-value.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Dialect } from "../dialect.ts";
import { Problems } from "../file-problems.ts";
import { type DescribedDialect, dialectOf } from "./described-dialect.ts";
import { tellApart } from "./tell-apart.ts";
import { proveFormat } from "./prove-format.ts";
import { type FormatFileOptions, readDescription, readFormat } from "./read-format.ts";

export interface OpenedFormat {
  /** Null when the file has an error. */
  readonly dialect: DescribedDialect | null;
  readonly diagnostics: readonly Diagnostic[];
}

export interface OpenOptions extends Pick<FormatFileOptions, "readSchema"> {
  /** Formats that stand beside it: it must be told apart from them, as from the five. */
  readonly others?: readonly Dialect[];
}

/** The dialect that a format file describes, with everything that is wrong with the file. */
export function openFormat(text: string, { readSchema, others = [] }: OpenOptions = {}): OpenedFormat {
  const prove: FormatFileOptions["prove"] = (model, problems) => {
    proveFormat(model, problems);
    tellApart(model, others, problems);
  };
  const { model, diagnostics } = readFormat(text, { ...(readSchema !== undefined && { readSchema }), prove });
  return { dialect: model === null ? null : dialectOf(model), diagnostics };
}

/** The same for a description that is a record already: one that a run is pinned to. */
export function openDescription(description: JsonRecord): {
  readonly dialect: DescribedDialect | null;
  readonly problem: string | null;
} {
  const problems = new Problems();
  const model = readDescription(description, problems, { prove: proveFormat });
  if (model !== null) return { dialect: dialectOf(model), problem: null };
  const first = problems.findings.find(({ severity }) => severity === "error");
  return {
    dialect: null,
    problem: first === undefined ? null : `${printPath(first.path)}: ${first.message} ${first.hint}`,
  };
}

/** A format that is described in code, with the keys of a format file. A wrong description is wrong usage. */
export function defineFormat(description: JsonRecord): DescribedDialect {
  const { dialect, problem } = openDescription(description);
  if (dialect !== null) return dialect;
  throw new AppError(
    "wrong-usage",
    `This is no format. ${problem ?? ""}`,
    "docs/spec/format-file.md describes every key.",
  );
}
