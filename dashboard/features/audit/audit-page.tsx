import "./audit.css";
import { Button, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useAddressWord } from "../../components/address.ts";
import { Icon } from "../../components/icons.tsx";
import { PageHead, Panel } from "../../components/panel.tsx";
import { useTitle } from "../../components/title.ts";
import { queryOf } from "../../data/ask-server.ts";
import { LogTable } from "./log-table.tsx";
import { Verification } from "./verification.tsx";

/** The log of everything, whether it still is what it was, and a copy to take along. */
export function AuditPage(): ReactNode {
  useTitle("Audit");
  return (
    <>
      <PageHead title="Audit">
        <p className="soft audit__about">Entries are only ever appended, each with the hash of the one before.</p>
      </PageHead>
      <div className="stack">
        <Verification />
        <Export />
        <Panel title="Log" flush aside={<JumpTo />}>
          <LogTable />
        </Panel>
      </div>
    </>
  );
}

function Export(): ReactNode {
  const [run, setRun] = useState("");
  return (
    <Panel title="Export">
      <div className="filters">
        <TextInput
          label="Run"
          description="Leave it empty for the whole log."
          value={run}
          onChange={(event) => setRun(event.currentTarget.value)}
        />
        <Button
          component="a"
          variant="default"
          href={`/api/audit/export${queryOf({ run })}`}
          download={run === "" ? "audit.jsonl" : `audit-${run}.jsonl`}
          leftSection={<Icon name="download" />}
        >
          Download as JSON lines
        </Button>
      </div>
    </Panel>
  );
}

function JumpTo(): ReactNode {
  const [after, setAfter] = useAddressWord("after");
  return (
    <TextInput
      size="xs"
      type="number"
      min={0}
      aria-label="Show entries after this position"
      placeholder="After position"
      value={after}
      onChange={(event) => setAfter(event.currentTarget.value.replaceAll(/\D/g, ""))}
    />
  );
}
