/** What is used of the machine to look at the settings of clients, and never at what they keep their credentials in. */
export interface SettingsMachine {
  /** Root of the repository, or the folder itself where there is none; absolute. */
  readonly root: string;
  /** A folder of the user's own, below the home or where this variable puts it; null without a home. */
  homeFolder(name: string, variable?: string): string | null;
  /** The text of a file; null when it cannot be read, or is too large to be a file of settings. */
  readSettings(path: string): string | null;
  namesIn(folder: string): readonly string[];
  exists(path: string): boolean;
}

/** What `baton doctor` uses of the machine. */
export interface DoctorMachine extends SettingsMachine {
  readonly isRepository: boolean;
  /** By which the repository is told from every other one. */
  mark(): string;
  readonly configFolder: string;
  /** Where this package is: the plugin and the extensions are in it. */
  readonly packageFolder: string;
  readonly node: {
    readonly version: string;
    readonly sqlite: string;
    /** Whether its SQLite is safe for the state. */
    readonly keepsState: boolean;
  };
  /** A program of the user; one that the repository brings is not found. Null when there is none. */
  findProgram(name: string): string | null;
  /** The first line that a program prints, started without secrets in its environment; null when it fails or hangs. */
  ask(program: string, args: readonly string[]): Promise<string | null>;
  state(): Promise<DoctorState>;
  /** What keeps gates from their sandbox, in sentences; empty when nothing does. */
  sandboxNotices(): Promise<readonly string[]>;
  /** Whether nobody listens on this port of this machine. */
  isPortFree(port: number): Promise<boolean>;
  /** Starts `baton mcp` and greets it: the name by which it answers, null when it does not. */
  greetMcp(): Promise<string | null>;
}

interface DoctorState {
  readonly stateFolder: string;
  readonly hasLog: boolean;
  readonly canBeWritten: boolean;
  /** What keeps it from being used, in sentences. */
  readonly notes: readonly string[];
}
