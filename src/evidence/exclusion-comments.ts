import type { ExcludedCheck } from "./claim.ts";
import type { ChangedText } from "./gate-files.ts";

/** Comments and attributes by which code is taken out of a check, as the tools of each language read them. */
const COMMENTS: Readonly<Record<ExcludedCheck, RegExp>> = {
  coverage:
    /\b(?:istanbul|c8|v8) ignore\b|\bnode:coverage (?:disable|ignore)\b|\bpragma: ?no ?(?:cover|branch)\b|\b(?:LCOV|GCOV|GCOVR)_EXCL_\w+|@codeCoverageIgnore\w*|\bcoverage: ?(?:ignore|off)\b|#\[coverage\(off\)\]|# ?:nocov:|\[ExcludeFromCodeCoverage\b/gi,
  lint: /\b(?:eslint|oxlint|stylelint|tslint|pylint|rubocop|swiftlint|ktlint|markdownlint)[-:] ?disable\b|\bbiome-ignore\b|@ts-(?:ignore|nocheck|expect-error)\b|# ?noqa\b|# ?(?:type|pyright|mypy|ruff): ?(?:ignore|noqa)\b|\/\/ ?nolint\b|\bNOLINT(?:NEXTLINE|BEGIN)?\b|#!?\[allow\(|@SuppressWarnings\b|\bphpcs:(?:ignore|disable)\b|@phpstan-ignore\b/gi,
};

/** Texts for people, in which such comments are only spoken of. */
const PROSE = /\.(?:md|mdx|rst|adoc|txt|html?)$/i;

export function mayExclude(path: string): boolean {
  return !PROSE.test(path);
}

/** The comments that a file has more often than before, each with how often. */
export function addedExclusions({ path, before, now }: ChangedText, checks: readonly ExcludedCheck[]): string[] {
  if (now === null || before === now) return [];
  const [old, present] = [countComments(before ?? "", checks), countComments(now, checks)];
  return [...present].flatMap(([comment, count]) => {
    const more = count - (old.get(comment) ?? 0);
    return more > 0 ? [`${path}: \`${comment}\`${more === 1 ? "" : ` (${more} times)`}`] : [];
  });
}

function countComments(text: string, checks: readonly ExcludedCheck[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const check of checks)
    for (const [found] of text.matchAll(COMMENTS[check])) {
      const comment = found.toLowerCase();
      counts.set(comment, (counts.get(comment) ?? 0) + 1);
    }
  return counts;
}
