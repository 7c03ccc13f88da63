import type { EventItem } from "../../src/api/answers.ts";

/** What the server told since the last time, all at once: a busy run makes one update, not hundreds. */
export interface Batch {
  readonly entries: readonly EventItem[];
  /** Runs that changed. */
  readonly runs: ReadonlySet<string>;
  /** The line was cut in between: whatever is shown has to be asked for again. */
  readonly wasCut: boolean;
}

export type LineState = "connecting" | "live" | "cut" | "refused";

const GATHER_FOR = 250;
const TRY_AGAIN_AFTER = 3_000;
/** A browser opens six connections to one server: a hidden page closes its own. */
const HIDDEN_FOR = 20_000;

/**
 * The live line to the server. The browser comes back with the id of the last event by itself; whenever the line was
 * cut, readers are told to ask again, so that nothing is lost even when the server forgot us.
 */
export class LiveFeed {
  readonly #address: string;
  readonly #readers = new Set<(batch: Batch) => void>();
  readonly #watchers = new Set<() => void>();
  #source: EventSource | null = null;
  #state: LineState = "connecting";
  #position: number | null = null;
  #entries: EventItem[] = [];
  #runs = new Set<string>();
  #wasCut = false;
  #gathering: number | null = null;
  #again: number | null = null;
  #hidden: number | null = null;

  constructor(address: string) {
    this.#address = address;
  }

  get state(): LineState {
    return this.#state;
  }

  start(): () => void {
    this.#open();
    const see = (): void => this.#onVisibility();
    document.addEventListener("visibilitychange", see);
    return () => {
      document.removeEventListener("visibilitychange", see);
      this.#close();
    };
  }

  /** Called with every batch. */
  read(reader: (batch: Batch) => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Called when the state of the line changes. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  #open(): void {
    if (this.#source !== null) return;
    const source = new EventSource(this.#address);
    this.#source = source;
    source.addEventListener("open", () => this.#onOpen());
    source.addEventListener("entry", (event) => this.#onEntry(event as MessageEvent<string>));
    source.addEventListener("changed", (event) => this.#onChanged(event as MessageEvent<string>));
    source.addEventListener("error", () => this.#onError(source));
  }

  #close(): void {
    for (const timer of [this.#again, this.#hidden, this.#gathering]) if (timer !== null) clearTimeout(timer);
    this.#again = this.#hidden = this.#gathering = null;
    this.#source?.close();
    this.#source = null;
  }

  #onOpen(): void {
    // Also the first time: something may have happened since the page asked.
    this.#wasCut = true;
    this.#gather();
    this.#tell("live");
  }

  #onEntry(event: MessageEvent<string>): void {
    const entry = JSON.parse(event.data) as EventItem;
    // What comes twice after a cut was already shown.
    if (this.#position !== null && entry.position <= this.#position) return;
    this.#position = entry.position;
    this.#entries.push(entry);
    this.#runs.add(entry.run);
    this.#gather();
  }

  #onChanged(event: MessageEvent<string>): void {
    const { runs } = JSON.parse(event.data) as { readonly runs: readonly string[] };
    for (const run of runs) this.#runs.add(run);
    this.#gather();
  }

  #onError(source: EventSource): void {
    // The browser tries again by itself, unless the server has refused it.
    if (source.readyState !== EventSource.CLOSED) return this.#tell("cut");
    this.#tell("refused");
    this.#source = null;
    this.#again ??= window.setTimeout(() => {
      this.#again = null;
      this.#open();
    }, TRY_AGAIN_AFTER);
  }

  #onVisibility(): void {
    if (this.#hidden !== null) clearTimeout(this.#hidden);
    this.#hidden = null;
    if (document.visibilityState === "visible") {
      // Closed on purpose: no warning is needed.
      if (this.#source === null) this.#tell("connecting");
      return this.#open();
    }
    this.#hidden = window.setTimeout(() => {
      this.#close();
      this.#tell("cut");
    }, HIDDEN_FOR);
  }

  #gather(): void {
    this.#gathering ??= window.setTimeout(() => this.#flush(), GATHER_FOR);
  }

  #flush(): void {
    const batch: Batch = { entries: this.#entries, runs: this.#runs, wasCut: this.#wasCut };
    this.#gathering = null;
    this.#entries = [];
    this.#runs = new Set();
    this.#wasCut = false;
    for (const reader of this.#readers) reader(batch);
  }

  #tell(state: LineState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}
