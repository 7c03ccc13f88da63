import { readFileSync } from "node:fs";
import { maxHeaderSize } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAX_REPORT_BYTES } from "../../src/evidence/reports/report.ts";
import { LIMITS } from "../../src/http/limits.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { projectRoot } from "../architecture/source-files.ts";

const KB = 1024;
const MB = KB * KB;
const inWords = (count: number): string => count.toLocaleString("en-US");

const { headers, wholeRequest, jsonBody, atOnce, requests, failures, liveClients, connections } = LIMITS;

it.each([
  [
    "docs/spec/http.md",
    `Limits: headers ${maxHeaderSize / KB} KB within ${headers / 1000} s, a whole request within ${wholeRequest / 1000} s, ` +
      `JSON bodies ${jsonBody / KB} KB, handoffs ${DEFAULT_LIMITS.bytes / MB} MiB; ${atOnce} requests at once, ` +
      `${inWords(requests.each)} a second on average, ${failures.each} wrong tokens a second; ` +
      `${inWords(liveClients)} live clients; ${inWords(connections)} connections.`,
  ],
  ["docs/guide/5-verification.md", `up to ${MAX_REPORT_BYTES / MB} MiB.`],
  ["docs/guide/2-in-ci.md", `the size limit of ${DEFAULT_LIMITS.bytes / MB} MiB`],
])("%s states the limits that hold", (document, sentence) => {
  expect(readFileSync(join(projectRoot, document), "utf8")).toContain(sentence);
});
