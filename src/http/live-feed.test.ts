import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { LiveFeed } from "./live-feed.ts";

/** A client that keeps the positions it is sent. */
class Listening extends EventEmitter {
  readonly positions: number[] = [];
  readonly destroyed = false;
  readonly writableEnded = false;
  readonly writableLength = 0;
  readonly writableNeedDrain = false;

  write(bytes: Buffer): boolean {
    this.positions.push(...[...bytes.toString().matchAll(/^id: (\d+)$/gm)].map(([, position]) => Number(position)));
    return true;
  }

  end(): void {
    this.emit("close");
  }
}

const later = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
};

it("a client that joins while news is told misses nothing and hears nothing twice", async () => {
  for (let turns = 0; turns < 10; turns++) {
    const asked: ((entries: unknown[]) => void)[] = [];
    const log = {
      lastPosition: () => Promise.resolve(0),
      history: (after: number) =>
        asked.length === 0 ? new Promise((resolve) => asked.push(resolve)) : Promise.resolve(entriesAfter(after)),
    };
    const feed = new LiveFeed({ log } as unknown as ConstructorParameters<typeof LiveFeed>[0]);
    const [first, second] = [new Listening(), new Listening()];
    await feed.join(first as unknown as ServerResponse, null, 0);
    asked[0]?.(entriesAfter(0));
    await later(turns);
    await feed.join(second as unknown as ServerResponse, null, 0);
    while (first.positions.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await feed.stop();
    expect(second.positions, `after ${turns} turns`).toEqual([1]);
  }
});

function entriesAfter(after: number): unknown[] {
  return after >= 1 ? [] : [{ position: 1, run: "a", sequence: 1, at: 1, kind: "noted", data: { kind: "noted" } }];
}
