import fc from "fast-check";
import type { ApiRoute } from "../../src/api/route.ts";
import { pathNames } from "../../src/api/route.ts";
import type { RawRequest } from "./raw-request.ts";

/** What a request needs to be let in, to be spoiled in one way or another. */
export interface Sound {
  readonly port: number;
  readonly token: string;
  readonly cookie: string;
  readonly run: string;
}

type Headers = readonly (readonly [string, string])[];

/** A request that would be let in. */
export function soundRequest(route: ApiRoute, { port, token, run }: Sound): RawRequest {
  const body = route.method === "POST" ? "{}" : "";
  return {
    method: route.method,
    path: pathOf(route, run),
    headers: [
      ["Host", `127.0.0.1:${port}`],
      ["Authorization", `Bearer ${token}`],
      ["Connection", "close"],
      ...(route.method === "POST" ? bodyHeaders(body) : []),
    ],
    body,
  };
}

function bodyHeaders(body: string | Buffer, type = "application/json"): Headers {
  return [
    ["Content-Type", type],
    ["Content-Length", String(Buffer.byteLength(body))],
    ["Idempotency-Key", "hostile"],
  ];
}

const SAMPLES: Readonly<Record<string, string>> = {
  attempt: "s1.1",
  ask: "q1",
  fact: "decision-001",
  dialect: "task-yaml",
  change: "retire",
};

function pathOf({ path }: ApiRoute, run: string): string {
  return pathNames(path).reduce(
    (text, name) => text.replace(`:${name}`, name === "run" ? run : (SAMPLES[name] ?? "x")),
    path,
  );
}

function without(headers: Headers, ...names: string[]): Headers {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

function withHeader(request: RawRequest, name: string, value: string): RawRequest {
  return { ...request, headers: [...without(request.headers, name.toLowerCase()), [name, value]] };
}

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/);
const foreignHost = fc.oneof(
  fc.constantFrom(
    "evil.example",
    "127.0.0.1",
    "localhost",
    "127.0.0.1.evil.example",
    "0.0.0.0",
    "[::1]",
    "2130706433",
    "127.1",
    "",
  ),
  fc.domain(),
);
const foreignOrigin = fc.oneof(
  fc.constantFrom(
    "null",
    "http://localhost",
    "https://127.0.0.1",
    "file://",
    "http://127.0.0.1",
    "chrome-extension://abc",
    "*",
  ),
  fc.webUrl({ withFragments: false }),
);

type Spoil = (sound: Sound, route: ApiRoute) => fc.Arbitrary<RawRequest>;

/** Ways in which a request can be wrong. None of them may be let in, whatever else is right about it. */
export const SPOILS: Readonly<Record<string, Spoil>> = {
  "without a token": (sound, route) => {
    const request = soundRequest(route, sound);
    return fc.constant({ ...request, headers: without(request.headers, "authorization") });
  },
  "with a wrong token": (sound, route) => {
    const request = soundRequest(route, sound);
    const wrong = fc.oneof(
      word.map((text) => `Bearer ${text}`),
      fc.constantFrom(
        "Bearer",
        "Bearer ",
        `Basic ${sound.token}`,
        `bearer ${sound.token}`,
        `Bearer ${sound.token}x`,
        `Bearer ${sound.token.slice(1)}`,
        `Bearer  ${sound.token}`,
        `Bearer ${sound.token.toUpperCase()}`,
        `Token ${sound.token}`,
        `Bearer ${sound.cookie}`,
      ),
    );
    return wrong.map((value) => withHeader(request, "Authorization", value));
  },
  "with the token in the address": (sound, route) => {
    const request = soundRequest(route, sound);
    const headers = without(request.headers, "authorization");
    return fc
      .constantFrom("token", "access_token", "key")
      .map((name) => ({ ...request, headers, path: `${request.path}?${name}=${sound.token}` }));
  },
  "with a wrong cookie": (sound, route) => {
    const request = soundRequest(route, sound);
    const headers = without(request.headers, "authorization");
    return fc
      .oneof(
        word,
        fc.constantFrom(sound.token, `${sound.cookie}x`, `"${sound.cookie}"`, `${sound.cookie}; baton_session=other`),
      )
      .map((value) => ({
        ...request,
        headers: [...headers, ["X-Baton", "1"] as const, ["Cookie", `baton_session=${value}`] as const],
      }));
  },
  "to another host": (sound, route) =>
    fc
      .tuple(foreignHost, fc.constantFrom("", `:${sound.port}`, ":1"))
      .filter(([host, port]) => !["127.0.0.1", "localhost", "[::1]"].includes(host) || port !== `:${sound.port}`)
      .map(([host, port]) => withHeader(soundRequest(route, sound), "Host", host + port)),
  "to two hosts": (sound, route) => {
    const request = soundRequest(route, sound);
    return foreignHost.map((host) => ({ ...request, headers: [...request.headers, ["Host", host] as const] }));
  },
  "to an absolute address": (sound, route) => {
    const request = soundRequest(route, sound);
    return foreignHost.map((host) => ({ ...request, path: `http://${host}:${sound.port}${request.path}` }));
  },
  "from another origin": (sound, route) =>
    foreignOrigin
      .filter((origin) => origin !== `http://127.0.0.1:${sound.port}`)
      .map((origin) => withHeader(soundRequest(route, sound), "Origin", origin)),
  "from another site": (sound, route) =>
    fc
      // What a person types into the address bar has none: it may read and not write.
      .constantFrom(
        "cross-site",
        "same-site",
        "Cross-Site",
        "same-origin, none",
        "",
        ...(route.method === "POST" ? ["none"] : []),
      )
      .map((site) => withHeader(soundRequest(route, sound), "Sec-Fetch-Site", site)),
  "by a method that is none of ours": (sound, route) =>
    fc
      .constantFrom(
        "PUT",
        "DELETE",
        "PATCH",
        "OPTIONS",
        "TRACE",
        "CONNECT",
        "PROPFIND",
        "get",
        route.method === "GET" ? "POST" : "PUT",
      )
      .map((method) => {
        const request = { ...soundRequest(route, sound), method };
        return method === "POST"
          ? { ...request, headers: [...request.headers, ...bodyHeaders("{}")], body: "{}" }
          : request;
      }),
  "by a method that hides another": (sound, route) => {
    const request = soundRequest(route, sound);
    const hidden: RawRequest = {
      ...request,
      method: route.method === "GET" ? "POST" : "GET",
      headers: [
        ...without(request.headers, "content-type", "content-length"),
        ["X-HTTP-Method-Override", route.method],
        ["Content-Length", "0"],
      ],
      body: "",
    };
    // A method that the path also has is answered by its own route.
    return fc.constant(hidden);
  },
  "with a body that is too large": (sound, route) => {
    const request = soundRequest(route, sound);
    const body = Buffer.alloc(3_000_000, 97);
    return fc.constantFrom("length", "chunks").map((how) => {
      const headers = without(request.headers, "content-length", "transfer-encoding", "content-type");
      const type = ["Content-Type", route.body === "handoff" ? "text/plain" : "application/json"] as const;
      if (how === "length")
        return { ...request, headers: [...headers, type, ["Content-Length", String(body.length)] as const], body };
      const chunked = Buffer.concat([
        Buffer.from(`${body.length.toString(16)}\r\n`),
        body,
        Buffer.from("\r\n0\r\n\r\n"),
      ]);
      return { ...request, headers: [...headers, type, ["Transfer-Encoding", "chunked"] as const], body: chunked };
    });
  },
  "with two lengths": (sound, route) => {
    const request = soundRequest(route, sound);
    const smuggled = `GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:${sound.port}\r\nAuthorization: Bearer ${sound.token}\r\n\r\n`;
    const headers = without(request.headers, "content-length");
    return fc
      .constantFrom<Headers>(
        [
          ["Content-Length", "4"],
          ["Transfer-Encoding", "chunked"],
        ],
        [
          ["Content-Length", "4"],
          ["Content-Length", "40"],
        ],
        [
          ["Transfer-Encoding", "chunked"],
          ["Transfer-Encoding", "identity"],
        ],
        [["Transfer-Encoding", "xchunked"]],
        [
          ["Transfer-Encoding", "chunked, identity"],
          ["Content-Length", "3"],
        ],
        [["Content-Length", "+4"]],
        [["Content-Length", "0x4"]],
      )
      .map((lengths) => ({ ...request, headers: [...headers, ...lengths], body: `0\r\n\r\n${smuggled}` }));
  },
  "on a path with tricks": (sound, route) => {
    const request = soundRequest(route, sound);
    const tricks = [
      "/..%2f..%2fetc%2fpasswd",
      "/../../../etc/passwd",
      "/%2e%2e/%2e%2e/x",
      "/..%5c..%5cx",
      "/%00",
      "/%ff%fe",
      "/%",
      "/\\..\\x",
      "/.%2e/x",
      "/%0d%0aX-Injected:1",
      "/./x",
    ];
    return fc.constantFrom(...tricks).map((trick) => ({ ...request, path: request.path + trick }));
  },
};

/** Bodies that no route that takes one may take, sent by somebody who is let in. */
function hexOf(key: string): string {
  return key.charCodeAt(0).toString(16).padStart(4, "0");
}

export const WRONG_BODIES: Readonly<
  Record<string, (route: ApiRoute) => fc.Arbitrary<readonly [string, string | Buffer]>>
> = {
  "that is no JSON object": () =>
    fc.constantFrom(
      ["application/json", "[]"],
      ["application/json", "1"],
      ["application/json", '"x"'],
      ["application/json", "null"],
      ["application/json", "{"],
      ["application/json", "{'a':1}"],
    ),
  "with keys of prototypes": () =>
    fc
      .constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty")
      .map((key) => ["application/json", `{"choice":"approve","reason":"x","note":"x","${key}":{"a":1}}`] as const),
  "with a key that is given twice": (route) =>
    fc
      .constantFrom(...(typeof route.body === "object" ? Object.keys(route.body ?? {}) : []), "x")
      .map((key) => ["application/json", `{"${key}":"reject","\\u${hexOf(key)}${key.slice(1)}":"approve"}`] as const),
  "with keys that are not known": () =>
    word.map((key) => ["application/json", JSON.stringify({ [`x${key}`]: "x" })] as const),
  "with values that are no texts": () =>
    fc
      .constantFrom(1, true, [], {}, ["x"])
      .map((value) => ["application/json", JSON.stringify({ choice: value, reason: value, note: value })] as const),
  "that is not UTF-8": () =>
    fc
      .uint8Array({ minLength: 1, maxLength: 40 })
      .map(
        (bytes) =>
          [
            "application/json",
            Buffer.concat([
              Buffer.from('{"reason":"'),
              Buffer.from([0xc3, 0x28, 0xff]),
              Buffer.from(bytes.filter((byte) => byte > 127)),
              Buffer.from('"}'),
            ]),
          ] as const,
      ),
  "of another type": () =>
    fc
      .constantFrom("text/html", "multipart/form-data", "application/x-www-form-urlencoded", "image/png", "")
      .map((type) => [type, "a=b"] as const),
};
