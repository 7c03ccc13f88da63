import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Repository, Room } from "../crash/run-room.ts";

/**
 * Builder, then Tester with a gate. Each notes which trace it was given; the first Tester waits as long as the
 * repository holds a file `hold`.
 */
export function addTraced(room: Room, name: string, workflow = name): TracedRepository {
  const repository = room.addRepository(name, {
    "baton.yaml": FILE.replace("NAME", workflow),
    "agent.sh": AGENT,
    "gate.sh": GATE,
    traces: "",
  });
  const at = (file: string): string => join(repository.folder, file);
  return {
    ...repository,
    hold: () => writeFileSync(at("hold"), ""),
    async untilHeld() {
      for (let looks = 0; looks < 2000 && !existsSync(at("held")); looks++) await sleep(20);
    },
    traces: () => readTraces(readFileSync(at("traces"), "utf8")),
    environment: () => readFileSync(at("environment"), "utf8"),
  };
}

export interface TracedRepository extends Repository {
  hold(): void;
  untilHeld(): Promise<void>;
  /** What each program was given, by the name of its attempt or gate. */
  traces(): ReadonlyMap<string, GivenTrace>;
  /** Of the Builder, line by line. */
  environment(): string;
}

interface GivenTrace {
  readonly parent: string;
  readonly state: string;
}

function readTraces(text: string): Map<string, GivenTrace> {
  const lines = text.trimEnd().split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [attempt = "", parent = "", state = ""] = line.split(" ");
      return [attempt.slice(attempt.indexOf(".") + 1), { parent, state }];
    }),
  );
}

const FILE = `baton: 1
name: NAME
start: Builder
gates:
  check: { command: [sh, gate.sh], timeout: 1m, failed: fail }
agents:
  Builder:
    run: { process: [sh, agent.sh] }
    dialect: output-json
    routes: { done: Tester, failed: fail }
  Tester:
    run: { process: [sh, agent.sh] }
    dialect: output-json
    gates: [check]
    routes: { done: end, failed: fail }
`;

const NOTE = `echo "$BATON_ATTEMPT $TRACEPARENT $TRACESTATE" >> traces\n`;

const GATE = NOTE;

const AGENT = `${NOTE}cat > /dev/null
if [ $BATON_AGENT = Builder ]; then env > environment; fi
if [ $BATON_AGENT = Tester ] && [ -e hold ]; then
  rm hold; touch held
  sleep 300
fi
echo '{ "agent": "'$BATON_AGENT'", "output_type": "implementation", "timestamp": "2026-03-09T14:05:00Z",
  "feature_directory": ".", "skills_invoked": [], "library_skills_read": [], "source_files_verified": [], "status": "complete" }'
`;
