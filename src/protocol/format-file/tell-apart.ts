import type { Dialect } from "../dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { Problems } from "../file-problems.ts";
import { findAllBlocks } from "../find-all-blocks.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { printHandoff } from "../write-handoff.ts";
import { dialectOf } from "./described-dialect.ts";
import type { FormatModel } from "./format-model.ts";

/** Proves that a format can be told apart from the five and from the others: by the example of each. */
export function tellApart(format: FormatModel, others: readonly Dialect[], problems: Problems): void {
  const own = dialectOf(format);
  const same = others.find(({ name }) => name === format.name);
  if (same !== undefined)
    problems.add({
      code: "reserved-name",
      path: ["name"],
      message: `Another format is called \`${format.name}\`.`,
      hint: "Give each format a name of its own.",
    });
  const formats = [own, ...others];
  const known = [...Object.values(DIALECTS), ...others];
  const isTakenForOwn = (dialect: Dialect): boolean => rivalsOf(dialect, formats).includes(own.name);
  const rival = rivalsOf(own, formats)[0] ?? known.find(isTakenForOwn)?.name;
  if (rival === undefined || same !== undefined) return;
  problems.add({
    code: "ambiguous-format",
    path: ["stands"],
    atKey: true,
    message: `A text can be both ${format.name} and ${rival}: nothing tells them apart.`,
    hint:
      format.when !== null && own.decides?.(format.example) !== true
        ? "`when` does not hold for the example of the format itself."
        : "Stand by a key, file name or element that the other format does not have, or decide with `when`.",
  });
}

/** Formats that the example of a dialect is taken for, beside what it is. */
function rivalsOf(dialect: Dialect, formats: readonly Dialect[]): string[] {
  const text = printHandoff(dialect.example, dialect, { dialect: dialect.name, outcome: "done" });
  const files = (dialect.stands?.files ?? []).map((pattern) => ({ path: pattern.replaceAll("*", "1") }));
  return [{}, ...files].flatMap((named) => {
    const { blocks, rivals } = findAllBlocks(text, { formats, ...named }, DEFAULT_LIMITS);
    const taken = blocks.flatMap((block) => [block.dialect, rivals?.get(block) ?? block.dialect]);
    return taken.filter((name) => name !== dialect.name);
  });
}
