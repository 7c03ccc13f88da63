import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";

/** Git's own server program behind a request, as a web server runs it. */
export function serveGit(
  root: string,
  path: string,
  body: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? "", "http://localhost");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      PATH_INFO: path,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "x-access-token",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => answer(Buffer.concat(chunks), response));
  child.stdin.on("error", () => undefined);
  child.stdin.end(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
}

function answer(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf("\r\n\r\n");
  const headers = output
    .subarray(0, end)
    .toString("latin1")
    .split("\r\n")
    .map((line) => line.split(": "));
  const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
  for (const [name = "", value = ""] of headers) if (name !== "Status") response.setHeader(name, value);
  response.writeHead(Number.parseInt(status, 10)).end(output.subarray(end + 4));
}
