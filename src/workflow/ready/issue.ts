/** 001: an issue from its opening to its merged pull request. */
export const issue = `# An issue becomes a merged pull request. Reviewer and validator send the work to the fixer until it holds.
# prep-agent, validator-agent and closer-agent come with baton and need no model; bind your own under run: to the rest.
# Stage            usual tool of ai-coding-config    here
# environment      /setup-environment                prep-agent
# implementation   /autotask, autonomous-developer   implementer-agent
# review           reviewer-* agents                 reviewer-agent
# fixing           /address-pr-comments              fixer-agent
# verification     /verify-fix, test runners         validator-agent and the gates
# git              git-writer                        implementer-agent, fixer-agent, closer-agent
baton: 1
name: issue
description: Take an issue through preparation, implementation, review, fixing, validation and closing
# semi asks a person when the issue is ready, when the pull request is ready and before the merge.
mode: autonomous
start: issue-manager
parallel: 3
# Each run has a worktree, a branch and a port of its own: many issues can be worked on at once.
workspace: worktree
# Issues and pull requests as files beside the repository. Or: { github: owner/name }, with the token in GITHUB_TOKEN.
forge: { local: .baton/forge }
budget: { wall: 3d, agent: 6h, steps: 80 }
asks: { timeout: 24h, silence: remind }
loop: { limit: 4, blocking: [critical, important, high], stuck: person, capped: person }

gates:
  lint:
    command: [npm, run, lint]
    timeout: 5m
    failed: { retry: 3, then: person }
  tests:
    command: [npm, test]
    timeout: 15m
    failed: { retry: 3, then: person }

agents:
  issue-manager:
    run: { process: [node, agents/issue-manager.mjs] }
    dialect: issue-xml
    approve: after
    prompt: |
      Turn what is asked for into an issue: title, type, priority and requirements that can be checked.
    gives:
      done: { required: [issue, requirements] }
    routes:
      done: prep-agent

  prep-agent:
    # Branch type/issue-N-slug, port, dependencies by the lock file. Options: build, server, install, ports.
    run: { builtin: prep }
    dialect: issue-xml
    needs: { required: [issue] }
    gives:
      done: { required: [work], properties: { work: { required: [branch] } } }
    routes:
      done: implementer-agent

  implementer-agent:
    run: { process: [node, agents/implementer-agent.mjs] }
    dialect: issue-xml
    writes_tests: true
    gates: [lint, tests]
    approve: after
    prompt: |
      Implement the requirements with tests, commit in small steps and open a pull request.
    gives:
      done: { required: [pull_request] }
    routes:
      done: reviewer-agent

  reviewer-agent:
    run: { process: [node, agents/reviewer-agent.mjs] }
    dialect: issue-xml
    prompt: |
      Review the pull request. Correctness, security, error handling and tests block; style does not.
      Approve it for the validator, or name each blocking issue with its file and line for the fixer.
    routes:
      done: validator-agent
      needs-fixes: { loop: fixer-agent }

  fixer-agent:
    run: { process: [node, agents/fixer-agent.mjs] }
    dialect: issue-xml
    writes_tests: true
    gates: [lint, tests]
    prompt: |
      Fix every blocking issue you are given, and nothing else. Name each fix with its place.
    routes:
      done: reviewer-agent

  validator-agent:
    # What is given of lint, type_check, unit, integration, e2e, audit and build, in this order; then the merge.
    # Failing checks and conflicts go to the fixer.
    run:
      builtin: validator
      options:
        lint: [npm, run, lint]
        unit: [npm, test]
        merge: squash
    dialect: issue-xml
    approve: before
    routes:
      done: closer-agent
      needs-fixes: { loop: fixer-agent }

  closer-agent:
    # Closing comment, issue closed, branch deleted, port released, workflow-complete with its metrics.
    run: { builtin: closer }
    dialect: issue-xml
    routes:
      done: end
`;
