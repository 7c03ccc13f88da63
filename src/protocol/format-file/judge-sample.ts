import type { JsonRecord } from "../../shared/json-value.ts";
import type { Dialect } from "../dialect.ts";
import { type BlockJudgement, judgeBlock } from "../judge-block.ts";
import { DEFAULT_LIMITS } from "../limits.ts";

/** What is wrong with a document of a format, as if it stood in a file of its own. */
export function judgeSample(dialect: Dialect, document: JsonRecord): BlockJudgement {
  const text = dialect.print(document);
  const end = text.length;
  const block = { start: 0, end, container: "file", terminated: true, origin: {}, containerEnd: end } as const;
  return judgeBlock(text, dialect, { ...block, dialect: dialect.name }, DEFAULT_LIMITS);
}
