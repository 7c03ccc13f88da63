/**
 * Builder, Tester (with a gate), once more round because the Tester finds a bug, Reviewer. Every agent writes one line
 * into the journal when it begins and one when it has delivered, and holds a lock that its children hold with it:
 * whoever does not get it works beside somebody who should have been ended. The kernel takes a moment to close the
 * files of the dead, so it is waited for; and a kill may hit `flock` itself, which then tells nothing.
 */
export function loopWorkflow(name: string): Readonly<Record<string, string>> {
  return { "baton.yaml": FILE.replace("NAME", name), "agent.sh": AGENT, "gate.sh": GATE, journal: "" };
}

/** What such a run accepts, in this order, however often it is interrupted. */
export const ACCEPTED = ["Builder 1", "Tester 1", "Builder 2", "Tester 2", "Reviewer 2"];

const FILE = `baton: 1
name: NAME
description: Agents that are killed all the time
start: Builder
budget: { steps: 60 }
loop: { limit: 3, blocking: [critical], stuck: fail, capped: fail }
gates:
  check: { command: [sh, gate.sh], timeout: 1m, failed: { retry: 20, then: fail } }
agents:
  Builder:
    run: { process: [sh, agent.sh] }
    dialect: pipeline-json
    file: handoff-Builder.json
    retry: { most: 20, delay: 5ms }
    routes: { done: Tester, failed: fail, needs-fixes: fail }
  Tester:
    run: { process: [sh, agent.sh] }
    dialect: pipeline-json
    gates: [check]
    retry: { most: 20, delay: 5ms }
    routes:
      done: Reviewer
      needs-fixes: fail
      failed:
        - { when: "failure == 'BUGS_IN_CODE'", loop: Builder }
        - fail
  Reviewer:
    run: { process: [sh, agent.sh] }
    dialect: pipeline-json
    file: handoff-Reviewer.json
    retry: { most: 20, delay: 5ms }
    routes: { done: end, failed: fail, needs-fixes: fail }
`;

const BEGIN = `exec 9>> lock
flock -w 1 9
if [ $? = 1 ]; then echo "beside $BATON_ATTEMPT" >> journal; fi
`;

const GATE = `${BEGIN}echo "gate $BATON_ATTEMPT" >> journal
sleep 0.05
`;

const AGENT = `${BEGIN}echo "begin $BATON_ATTEMPT $BATON_AGENT" >> journal
cat > prompt-$BATON_AGENT
echo "$BATON_ATTEMPT" > a.ts
if [ $BATON_AGENT = Builder ]; then setsid sleep 300 > /dev/null 2>&1 & fi
if [ $BATON_AGENT = Reviewer ]; then sleep 301 > /dev/null 2>&1 & fi
sleep 0.03
next=Reviewer; status=PASS; loop='"loop_required": false, "loop_target": null, "loop_reason": null'; issues=
if [ $BATON_AGENT = Builder ]; then next=Tester; fi
if [ $BATON_AGENT = Reviewer ]; then next=COMPLETE; fi
issue='{ "id": "B-1", "severity": "critical", "category": "bug", "location": "a.ts:1", "description": "Wrong", "remediation": "Right"'
if [ $BATON_ITERATION = 2 ]; then issues="$issue, \\"status\\": \\"fixed\\" }"; fi
if [ $BATON_AGENT = Tester ] && [ $BATON_ITERATION = 1 ]; then
  next=Builder; status=FAIL; issues="$issue, \\"status\\": \\"open\\" }"
  loop='"loop_required": true, "loop_target": "Builder", "loop_reason": "BUGS_IN_CODE"'
fi
handoff='{ "from_agent": "'$BATON_AGENT'", "to_agent": "'$next'", "timestamp": "2026-03-09T14:05:00.000Z", "status": "'$status'",
  "iteration": '$BATON_ITERATION', '$loop',
  "artifacts": [{ "type": "source_file", "path": "a.ts", "purpose": "Adds", "priority": "critical" }],
  "context": { "design_decisions": ["None"], "known_limitations": [], "assumptions": ["'$BATON_ATTEMPT'"] },
  "test_requirements": { "coverage": 90, "critical_paths": ["Sum"], "edge_cases_to_test": ["None"] },
  "issues": ['$issues'], "metrics": { "execution_time": "1s", "lines_of_code": 1, "test_coverage": 95, "quality_score": 9 },
  "validation": { "command": "true", "expected_result": "Nothing", "checklist": ["Fine"] } }'
if [ $BATON_AGENT = Tester ]; then echo "$handoff"; else echo "$handoff" > handoff-$BATON_AGENT.json; fi
echo "deliver $BATON_ATTEMPT" >> journal
`;
