import { type ClientRequest, type IncomingMessage, request } from "node:http";

interface Heard {
  readonly event: string;
  readonly id: number | null;
  readonly data: unknown;
}

/** A client of the live feed that reads like a browser, but never comes back by itself. */
export class EventStream {
  readonly heard: Heard[] = [];
  readonly opened: Promise<number>;
  readonly closed: Promise<void>;
  #request: ClientRequest;
  #response: IncomingMessage | null = null;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#request = request(url, { headers });
    let open: (status: number) => void = () => undefined;
    this.opened = new Promise((resolve) => (open = resolve));
    this.closed = new Promise((resolve) => {
      this.#request.on("response", (response) => {
        this.#response = response;
        open(response.statusCode ?? 0);
        this.#listen(response);
      });
      this.#request.on("close", () => resolve());
      this.#request.on("error", () => open(0));
    });
    this.#request.end();
  }

  get positions(): number[] {
    return this.heard.flatMap(({ event, id }) => (event === "entry" && id !== null ? [id] : []));
  }

  /** Stops reading, and leaves the connection open. */
  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  #listen(response: IncomingMessage): void {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      text += part;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        this.#take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    });
  }

  #take(frame: string): void {
    const fields = new Map(
      frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const data = fields.get("data");
    if (data === undefined) return;
    const id = fields.get("id");
    this.heard.push({
      event: fields.get("event") ?? "message",
      id: id === undefined ? null : Number(id),
      data: JSON.parse(data),
    });
  }
}
