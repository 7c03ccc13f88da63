import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";

/** A text in which `«` and `»` stand around every place that must be pointed at. */
export function unmark(marked: string): { text: string; spans: string[] } {
  const spans: string[] = [];
  let text = "";
  let start = 0;
  for (const character of marked) {
    if (character === "«") start = text.length;
    else if (character === "»") spans.push(span(text, start, text.length));
    else text += character;
  }
  return { text, spans };
}

function span(text: string, start: number, end: number): string {
  const place = (offset: number): string => {
    const before = text.slice(0, offset).split("\n");
    return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
  };
  return `${place(start)}-${place(end)}`;
}

/** Every diagnostic as `code line:column-line:column`. */
export function diagnose(text: string): { found: string[]; spans: string[]; words: string } {
  const { diagnostics } = readWorkflow(text, { path: "workflow.yaml", hash: "hash" });
  const spans = diagnostics.map(
    ({ range: { start, end } }) => `${start.line}:${start.column}-${end.line}:${end.column}`,
  );
  return {
    found: diagnostics.map(({ code }, index) => `${code} ${spans[index]}`),
    spans,
    words: diagnostics.map(({ message, hint }) => `${message} ${hint}`).join("\n"),
  };
}
