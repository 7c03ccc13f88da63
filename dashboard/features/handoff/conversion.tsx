import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { BuiltinDialect, ConvertedHandoff, HandoffPage } from "../../../src/api/answers.ts";
import { useAddressWord } from "../../components/address.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, SEVERITY_LOOKS } from "../../components/badge.tsx";
import { counted } from "../../components/format.ts";
import { Answer, Empty } from "../../components/states.tsx";
import { TextView } from "../../components/text-view.tsx";
import { conversionQuery } from "../../data/queries.ts";

/** Complete by its type: a new dialect has to be named here. */
const DIALECTS: Readonly<Record<BuiltinDialect, string>> = {
  "pipeline-json": "Pipeline JSON (000)",
  "issue-xml": "Issue XML (001)",
  "phase-yaml": "Phase YAML (002)",
  "task-yaml": "Task YAML (003)",
  "output-json": "Output JSON (004)",
};

/** The same handoff in another format, and what that has no place for. */
export function Conversion({ page }: { readonly page: HandoffPage }): ReactNode {
  const [chosen, choose] = useAddressWord("as");
  const own = page.formats.map((name): [string, string] => [name, name]);
  const others = [...Object.entries(DIALECTS), ...own].filter(([name]) => name !== page.dialect);
  const dialect = others.find(([name]) => name === chosen)?.[0] ?? others[0]?.[0] ?? "task-yaml";
  const query = useQuery({ ...conversionQuery(page.run, page.attempt, dialect), enabled: page.handoff !== null });
  if (page.handoff === null) {
    return <Empty title="Only what could be read can be converted">The source shows what is wrong, in place.</Empty>;
  }
  return (
    <div className="stack">
      <NativeSelect
        label="Format"
        maw={260}
        value={dialect}
        onChange={(event) => choose(event.currentTarget.value)}
        data={others.map(([value, label]) => ({ value, label }))}
      />
      <Answer of={query} what="the conversion">
        {(converted) => <Converted converted={converted} />}
      </Answer>
    </div>
  );
}

function Converted({ converted: { text, losses, dialect } }: { readonly converted: ConvertedHandoff }): ReactNode {
  return (
    <>
      {losses.length === 0 ? (
        <p className="ink--good">Nothing is lost on the way.</p>
      ) : (
        <details open={losses.length <= 6}>
          <summary>{counted(losses.length, "note")} on what this format has no place for</summary>
          <ul className="losses">
            {losses.map((loss) => (
              <li key={`${loss.code} ${loss.message}`}>
                <Badge look={{ ...SEVERITY_LOOKS[loss.severity], word: loss.code }} /> <AgentText text={loss.message} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <TextView text={text} label={`The handoff as ${dialect}`} />
    </>
  );
}
