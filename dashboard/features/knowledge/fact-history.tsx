import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FactPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { links } from "../../components/links.ts";
import { Panel } from "../../components/panel.tsx";
import { When } from "../../components/time.tsx";

/** Who said it. */
export function Witnesses({ witnesses }: { readonly witnesses: FactPage["fact"]["witnesses"] }): ReactNode {
  return (
    <Panel title="Said by" flush>
      <div className="scroll-x" role="group" aria-label="Witnesses" tabIndex={0}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Run</th>
              <th scope="col">Where</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {witnesses.map((witness) => (
              <tr key={`${witness.run} ${witness.step} ${witness.where} ${witness.handoff}`}>
                <th scope="row">{witness.agent}</th>
                <td>
                  <Link href={links.run(witness.run, { step: witness.step })}>{witness.run}</Link>
                </td>
                <td className="mono">{witness.where}</td>
                <td className="soft">
                  <When at={witness.at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

/** What became of it; only ever appended to. */
export function FactHistory({ page: { history } }: { readonly page: FactPage }): ReactNode {
  return (
    <Panel title="History" flush>
      <div className="scroll-x" role="group" aria-label="History" tabIndex={0}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">By</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {history.map((change) => (
              <tr key={`${change.at} ${change.what} ${change.by}`}>
                <td className="soft">
                  <When at={change.at} />
                </td>
                <th scope="row">
                  {change.what}
                  {change.other !== null && (
                    <>
                      {" "}
                      <span className="mono">{change.other}</span>
                    </>
                  )}
                </th>
                <td>{change.by}</td>
                <td>{change.why === null ? "—" : <AgentText text={change.why} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
