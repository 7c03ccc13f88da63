import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** The parts of the protocol that the tests look at. Lines and characters start at 0. */
interface EditorDiagnostic {
  readonly range: { readonly start: EditorPosition; readonly end: EditorPosition };
  readonly message: string;
}

interface EditorPosition {
  readonly line: number;
  readonly character: number;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Something the server owes us. */
interface Debt<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

type Settings = Readonly<Record<string, unknown>>;

const PATIENCE_IN_MS = 20_000;
/** Stands among the requests for the server's own question after its settings. */
const SETTINGS = 0;

/** A language server as a child process, spoken to over its standard input and output. */
export class LspClient {
  readonly #server: ChildProcess;
  readonly #settings: Settings;
  readonly #waiting = new Map<number, Debt<unknown>>();
  readonly #diagnostics = new Map<string, Debt<readonly EditorDiagnostic[]>>();
  #received = Buffer.alloc(0);
  #complaints = "";
  #ended: Error | null = null;
  #nextId = 1;

  constructor(command: string, args: readonly string[], settings: Settings) {
    this.#settings = settings;
    this.#server = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#server.stdout?.on("data", (bytes: Buffer) => this.#receive(bytes));
    this.#server.stderr?.on("data", (bytes: Buffer) => (this.#complaints += bytes.toString()));
    this.#server.stdin?.on("error", (error) => this.#end(error));
    this.#server.on("error", (error) => this.#end(error));
    this.#server.on("exit", (code) => this.#end(new Error(`the server ended with code ${code}: ${this.#complaints}`)));
  }

  async start(rootUri: string): Promise<void> {
    const capabilities = { workspace: { configuration: true }, textDocument: { publishDiagnostics: {}, hover: {} } };
    await this.request("initialize", { processId: process.pid, rootUri, capabilities });
    const asked = this.#expect(this.#waiting, SETTINGS, "settings");
    this.notify("initialized", {});
    this.notify("workspace/didChangeConfiguration", { settings: this.#settings });
    await asked;
  }

  /** Opens a document and waits for what the server says about it. */
  async open(uri: string, languageId: string, text: string): Promise<readonly EditorDiagnostic[]> {
    const told = this.#expect(this.#diagnostics, uri, "diagnostics");
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text } });
    return told;
  }

  async request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++;
    const answer = this.#expect(this.#waiting, id, method);
    this.#send({ id, method, params });
    return answer;
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** Ends the process, this one and no other, and waits until it is gone. */
  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#server;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#server, "exit");
    this.#server.kill("SIGKILL");
    await exited;
  }

  async #expect<K, T>(table: Map<K, Debt<T>>, key: K, what: string): Promise<T> {
    if (this.#ended !== null) throw this.#ended;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<T>((resolve, reject) => {
      table.set(key, { resolve, reject });
      timer = setTimeout(
        () => reject(new Error(`no answer about ${what} within ${PATIENCE_IN_MS} ms`)),
        PATIENCE_IN_MS,
      );
    });
    return answer.finally(() => clearTimeout(timer));
  }

  #send(message: Message): void {
    const content = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.#server.stdin?.write(`Content-Length: ${content.length}\r\n\r\n`);
    this.#server.stdin?.write(content);
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const headerEnd = this.#received.indexOf("\r\n\r\n");
      const length = /Content-Length: (\d+)/i.exec(this.#received.toString("latin1", 0, Math.max(0, headerEnd)))?.[1];
      if (headerEnd === -1 || length === undefined) return;
      const end = headerEnd + 4 + Number(length);
      if (this.#received.length < end) return;
      const message = JSON.parse(this.#received.toString("utf8", headerEnd + 4, end)) as Message;
      this.#received = this.#received.subarray(end);
      this.#handle(message);
    }
  }

  #handle(message: Message): void {
    if (message.method === undefined) {
      const answer = this.#waiting.get(Number(message.id));
      if (message.error === undefined) answer?.resolve(message.result);
      else answer?.reject(new Error(message.error.message));
    } else if (message.method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = message.params as { uri: string; diagnostics: readonly EditorDiagnostic[] };
      this.#diagnostics.get(uri)?.resolve(diagnostics);
    } else if (message.id !== undefined) this.#send({ id: message.id, result: this.#answer(message) });
  }

  /** The server asks for its settings by section; everything else it asks is granted. */
  #answer({ method, params }: Message): unknown {
    if (method !== "workspace/configuration") return null;
    this.#waiting.get(SETTINGS)?.resolve(null);
    const { items } = params as { items: readonly { section: string }[] };
    return items.map(({ section }) => this.#settings[section] ?? null);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const answer of [...this.#waiting.values(), ...this.#diagnostics.values()]) answer.reject(error);
  }
}
