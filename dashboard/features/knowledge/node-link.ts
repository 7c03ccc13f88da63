import { links } from "../../components/links.ts";

/** Where a node of the graph leads: `fact:pattern-001`, `task:RUN/ID`, `run:RUN`, `file:PATH`, `tag:WORD`. */
export function linkOf(id: string): string | null {
  const at = id.indexOf(":");
  const kind = id.slice(0, at);
  const name = id.slice(at + 1);
  if (kind === "fact") return links.fact(name);
  if (kind === "run") return links.run(name);
  if (kind === "task") return links.run(name.split("/")[0] ?? name, { tab: "tasks" });
  if (kind === "file") return links.facts({ file: name });
  return kind === "tag" ? links.facts({ tag: name }) : null;
}
