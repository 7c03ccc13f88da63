import type { Engine, VerifyContext, RepositoryInfo } from "../runtime/engine.ts";
import type { DoctorMachine } from "../runtime/doctor/doctor-machine.ts";
import type { HookMachine } from "../runtime/hooks/hook-machine.ts";
import type { RequestSource } from "../runtime/request-source.ts";
import type { LocalGateMachine } from "../runtime/operations/check-gates.ts";
import type { KnownKey } from "../runtime/operations/verify-audit.ts";

/** Everything outside the process that a command may use. */
export interface Terminal {
  /** Data. */
  out(text: string): void;
  /** Everything else. */
  note(text: string): void;
  /** Standard input, or its first `limit` + 1 bytes. */
  stdin(limit: number): Uint8Array;
  readonly colour: { readonly out: boolean; readonly notes: boolean };
  readonly columns: number;
  /** Width at which sentences are wrapped; Infinity where the output is not a screen: programs get whole lines. */
  readonly room: { readonly out: number; readonly notes: number };
  readonly version: string;
  /** The working directory, absolute. */
  readonly directory: string;
  /** The configuration folder of the operator, outside of every repository. */
  readonly configFolder: string;
  /** Whether a person sees the notes and can be asked. */
  isInteractive(): boolean;
  /** Whether the screen of that person can be redrawn. */
  canRedraw(): boolean;
  /** Whether both output and notes go to a screen that can be redrawn. */
  hasScreen(): boolean;
  /** Reads one line from that person. */
  ask(question: string): Promise<string>;
  /** Reads one key from that person. */
  askKey(question: string): Promise<string>;
  /** Opens the state of the repository and creates it if there is none. */
  openEngine(): Promise<Engine>;
  /**
   * For commands that go on with what is there, or only look. Where there is no state they get an empty one, gone when
   * it is closed; nothing is made.
   */
  openExisting(): Promise<Engine>;
  /** Where the state is. It is not opened, and nothing is made. */
  whereState(): Promise<StateWhere>;
  /** A log that the operator may take over: the named one, or the one that lies where a log is expected. */
  findAdoptable(source: string | null): Promise<AdoptableLog>;
  /** Takes the state of this repository to a shared store, or back into files. */
  moveState(move: StateMove): Promise<MovedState>;
  /** Public keys whose signatures the operator believes, the own one among them. Makes none, and opens no log. */
  knownKeys(): Promise<readonly KnownKey[]>;
  /** Serves the page and the API over HTTP, on this machine only. */
  openServer(engine: Engine, options: ServeOptions): Promise<ServedPage>;
  /** Makes the tables of the shared store, or brings them to this version; false where state is in files. */
  prepareStore(): Promise<boolean>;
  /** Drives the runs of a shared store. */
  openWorker(engine: Engine, options: WorkerOptions): Promise<OpenWorker>;
  /** Serves one client of the Model Context Protocol over standard input and output, until it has gone. */
  serveMcp(): Promise<void>;
  /** A folder with example runs, some of them at work; gone when it is closed. */
  openDemo(): Promise<Engine>;
  /** Opens an address in the browser of the user. */
  openBrowser(address: string): void;
  /** The repository around the working directory. */
  repositoryInfo(): Promise<RepositoryInfo>;
  /** What gates can use on this machine. */
  gateMachine(): Promise<LocalGateMachine>;
  /** Looks at the repository without keeping any state in it. */
  openInspection(): Promise<VerifyContext>;
  /**
   * From now on output that cannot be written is dropped. Until then a reader that has gone
   * away ends the command.
   */
  outliveReaders(): void;
  /** Aborted when the user or the system asks the command to end; to ask again changes nothing. */
  interruption(): AbortSignal;
  /** The same command again, with these arguments, that goes on when this one has ended. Gives its process id. */
  detach(args: readonly string[], logFile: string): number;
  /** Whether this command was called by an agent, and the account for the log. */
  requestSource(): Promise<RequestSource>;
  /** What a hook of a client uses: loads little, and opens nothing. */
  hookMachine(): Promise<HookMachine>;
  /** What `baton doctor` looks at. */
  doctorMachine(): Promise<DoctorMachine>;
  /** The folders in which programs are looked for. */
  readonly searchPath: string;
  /** The file in which a job of CI collects its summary; null elsewhere. */
  readonly summaryFile: string | null;
}

export interface StateWhere {
  readonly stateFolder: string;
  /** Whether there is a log. */
  readonly hasLog: boolean;
  /** What keeps the state from being used, or is left to do with older logs; empty when there is nothing. */
  readonly notes: readonly string[];
}

export interface AdoptableLog {
  readonly place: string;
  /** Null for a log from before logs had ids. */
  readonly id: string | null;
  /** Whether the operator has made it, as far as the configuration folder tells. */
  readonly isOwn: boolean;
  readonly runs: number;
  /** Verifies it, and makes it the log of this repository. An existing log is set aside only on request. */
  adopt(options: { readonly aside: boolean }): Promise<AdoptedLog>;
}

export interface StateMove {
  readonly to: "postgres" | "sqlite";
  /** The file with the address of the database; null where BATON_STORE has it. */
  readonly urlFile: string | null;
  readonly progress: (what: string) => void;
  readonly notify: (message: string) => void;
}

export interface MovedState {
  /** `finished`: an interrupted move has ended. `there`: it was moved before. */
  readonly kind: "moved" | "finished" | "there";
  readonly log: string;
  readonly from: string;
  readonly to: string;
  readonly milliseconds: number;
  /** What was compared, table by table; empty where nothing was copied. */
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly hash: string }[];
  /** Of the audit of both logs; null where nothing was copied. */
  readonly verdict: string | null;
}

export interface AdoptedLog {
  readonly stateFolder: string;
  /** Where the files of the adopted log are now; null when they stay as they are. */
  readonly keptAs: string | null;
  /** Where the state is that was there before; null when there was none. */
  readonly aside: string | null;
}

export interface WorkerOptions {
  /** How many runs it drives at once. */
  readonly capacity: number;
  /** What happens; with the run that it happens to, if it is one. */
  readonly tell: (text: string, run: string | null) => void;
  /** Only what goes wrong. */
  readonly isQuiet: boolean;
}

export interface OpenWorker {
  /** Stops its agents and gives its runs back. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** 0 takes any that is free. Null where none was asked for: the usual one, or another where that is taken. */
  readonly port: number | null;
  /** Whether a server that is there already for this state will do. */
  readonly mayJoin?: boolean;
  /** Whether it also drives runs that have something to do. */
  readonly drives: boolean;
  readonly isDemo: boolean;
  /** Addresses for signed notifications, besides those of the configuration. */
  readonly webhooks: readonly string[];
}

export interface ServedPage {
  readonly port: number;
  /** With the token in it, unless it is another's and not known here. */
  readonly link: string;
  /** Whether it is the server of another process, which goes on without us. */
  readonly joined: boolean;
  /** Lets requests that have begun finish. */
  stop(): Promise<void>;
}
