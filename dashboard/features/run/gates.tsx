import type { ReactNode } from "react";
import type { GateItem } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, type Look } from "../../components/badge.tsx";
import { spanOf } from "../../components/format.ts";
import { TextView } from "../../components/text-view.tsx";

const PASSED: Look = { meaning: "good", icon: "check", word: "Passed" };
const FAILED: Look = { meaning: "bad", icon: "cross", word: "Failed" };
const WAIVED: Look = { meaning: "warning", icon: "warning", word: "Waived" };

function lookOf({ passed, waived_by: by }: GateItem): Look {
  if (passed) return PASSED;
  return by === null ? FAILED : WAIVED;
}

/** What our own checks said of the work. */
export function Gates({ gates }: { readonly gates: readonly GateItem[] }): ReactNode {
  if (gates.length === 0) return null;
  return (
    <section aria-label="Gates">
      <h4>Gates</h4>
      <ul className="gates">
        {gates.map((gate) => (
          <li key={`${gate.gate} ${gate.at}`} className="gates__one">
            <details>
              <summary>
                <Badge look={lookOf(gate)} /> <strong>{gate.gate}</strong>{" "}
                <span className="soft">
                  {spanOf(gate.milliseconds)}, <AgentText text={gate.message} />
                  {gate.waived_by !== null && (
                    <>
                      , failed and waived by <AgentText text={gate.waived_by} />
                    </>
                  )}
                </span>
              </summary>
              {gate.output === "" ? (
                <p className="soft">It printed nothing.</p>
              ) : (
                <TextView text={gate.output} label={`Output of ${gate.gate}`} />
              )}
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
