/** 000: five agents in a row, loops back to the builder, gates after the first two. */
export const pipeline = `# Five agents in a row. Tests, review and security may send the work back to the builder.
# Every agent's \`run\` is a placeholder: bind it to your own client, for example run: { claude: {} }.
baton: 1
name: pipeline
description: Build, test, review, scan and document a change
start: BackendBuilder
budget: { wall: 4h, agent: 2h, steps: 60 }
asks: { timeout: 24h, silence: remind }
loop: { limit: 3, blocking: [critical, high], stuck: person, capped: person }

gates:
  lint:
    command: [npm, run, lint]
    timeout: 5m
    failed: { retry: 3, then: person }
  tests:
    command: [npm, test, --, --coverage]
    # The test script writes these; without a test report there is no result. \`baton init\` names those of your runner.
    reports: [reports/junit.xml, coverage/lcov.info]
    timeout: 15m
    failed: { retry: 3, then: person }
  # Critical issues are a matter of the routes: they send the work back.
  review:
    require: "open.high < 5 and score >= 8"
    failed: { retry: 2, then: person }
  security:
    require: "open.critical == 0 and open.high < 3"
    failed: { retry: 2, then: person }

agents:
  BackendBuilder:
    run: { process: [node, agents/BackendBuilder.mjs] }
    dialect: pipeline-json
    file: handoff-BackendBuilder.json
    gates: [lint]
    prompt: |
      Build what is asked for, or fix the issues you are given, and nothing else.
      List every file you made or changed. Say what the tests must cover.
      When you were sent back, name the fixes you applied and the ids of the issues they resolve.
    routes:
      done: TestAgent
      needs-fixes: { retry: 3, then: person }
      failed: { retry: 3, then: person }

  TestAgent:
    run: { process: [node, agents/TestAgent.mjs] }
    dialect: pipeline-json
    file: handoff-TestAgent.json
    writes_tests: true
    gates: [tests]
    prompt: |
      Write the tests that the builder asks for and run all of them. Lines must be covered to 90 %, branches to 85 %.
      A failing test that shows a bug is an issue for the builder: ask for a loop and do not change the code yourself.
      When tests fail only now and then, run them ten times and report category flaky.
    routes:
      done:
        - { when: "coverage < 90", retry: 3, then: person }
        - CodeReviewer
      needs-fixes:
        - { when: "failure == 'BUGS_IN_CODE'", loop: BackendBuilder }
        - { when: "failure == 'INSUFFICIENT_TESTS'", retry: 3, then: person }
        - { when: "failure == 'FLAKY_TESTS'", retry: 2, then: person }
        - { when: "open.blocking > 0", loop: BackendBuilder }
        - person
      failed:
        - { when: "failure == 'BUGS_IN_CODE'", loop: BackendBuilder }
        - { retry: 3, then: person }

  CodeReviewer:
    run: { process: [node, agents/CodeReviewer.mjs] }
    dialect: pipeline-json
    file: handoff-CodeReviewer.json
    gates: [review]
    loop: { blocking: [critical], stuck: continue, capped: continue }
    prompt: |
      Review the change and write reports/CODE_REVIEW.md. Give a quality_score from 0 to 10.
      It passes with no critical issue, fewer than five high ones and a score of 8 or more.
    routes:
      done: SecurityScanner
      needs-fixes:
        - { when: "open.critical > 0 and iteration < 2", loop: BackendBuilder }
        - SecurityScanner
      failed: { retry: 3, then: person }

  SecurityScanner:
    run: { process: [node, agents/SecurityScanner.mjs] }
    dialect: pipeline-json
    file: handoff-SecurityScanner.json
    gates: [security]
    loop: { blocking: [critical] }
    prompt: |
      Look for vulnerabilities and write reports/SECURITY_REPORT.md.
      It passes with no critical issue, fewer than three high ones and a risk of medium or lower.
    routes:
      done:
        - { when: "open.critical > 0", to: person }
        - DocumentationDynamo
      needs-fixes:
        - { when: "open.critical > 0 and iteration < 2", loop: BackendBuilder }
        - { when: "open.critical > 0", to: person }
        - DocumentationDynamo
      failed: { retry: 3, then: person }

  DocumentationDynamo:
    run: { process: [node, agents/DocumentationDynamo.mjs] }
    dialect: pipeline-json
    file: handoff-DocumentationDynamo.json
    prompt: |
      Write the documentation of the change. Check that its links lead somewhere and its examples run.
      You are the last: hand over to COMPLETE.
    routes:
      done: end
      needs-fixes: { retry: 2, then: person }
      failed: { retry: 2, then: person }
`;
