import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskOf, redactJson, redactor } from "./redact.ts";

const redact = redactor(["hunter2-hunter2", "short", 'with "quotes" and\nlines']);
const HEX = "0123456789abcdef".repeat(4);
const LETTERS = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

/** None of these was ever a secret: they have the form of one and nothing else. */
const SECRETS: readonly (readonly [string, string])[] = [
  ["Anthropic key", `sk-ant-api03-${LETTERS}`],
  ["OpenAI key", `sk-proj-${LETTERS}`],
  ["OpenAI key", `sk-${LETTERS}`],
  ["OpenRouter key", `sk-or-v1-${HEX}`],
  ["Stripe key", `sk_live_${LETTERS}`],
  ["Stripe key", `whsec_${LETTERS}`],
  ["GitHub token", "ghp_0123456789abcdefghijABCDEFGHIJ012345"],
  ["GitHub token", "ghs_0123456789abcdefghijABCDEFGHIJ012345"],
  ["GitHub token", `github_pat_${LETTERS}_${LETTERS}`],
  ["GitLab token", "glpat-abcdefghij0123456789"],
  ["Slack token", "xoxb-123456789012-abcdefghij"],
  ["Slack token", "xapp-1-A0123456789-abcdefghij"],
  ["AWS key", "AKIAIOSFODNN7EXAMPLE"],
  ["Google key", `AIza${"a".repeat(35)}`],
  ["Google key", "GOCSPX-abcdefghijklmnopqrstuvwx"],
  ["npm token", "npm_abcdefghijklmnopqrstuvwxyz0123456789"],
  ["PyPI token", `pypi-AgEIcHlwaS5vcmc${LETTERS}${LETTERS}`],
  ["Hugging Face token", `hf_${"aBcDe".repeat(7)}`.slice(0, 37)],
  ["SendGrid key", `SG.${"a".repeat(22)}.${"b".repeat(43)}`],
  ["DigitalOcean token", `dop_v1_${HEX}`],
  ["JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"],
  ["private key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"],
  ["private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----"],
  ["private key", `AGE-SECRET-KEY-1${"A".repeat(58)}`],
  ["value of the environment", "hunter2-hunter2"],
];

describe("secrets", () => {
  it.each(SECRETS)("of a known kind are masked, and the mark tells it: %s", (kind, secret) => {
    expect(redact(`before ${secret} after`)).toBe(`before (redacted ${kind}) after`);
    expect(redact(`"${secret}"`)).toBe(`"(redacted ${kind})"`);
  });

  it("are masked behind their names and in addresses, which stay readable", () => {
    expect(redact('password: "correct-horse-battery"')).toBe('password: "(redacted named secret)"');
    expect(redact("API_KEY=abcdef123456")).toBe("API_KEY=(redacted named secret)");
    expect(redact("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG")).toBe(
      "aws_secret_access_key = (redacted named secret)",
    );
    expect(redact('"clientSecret":"abcdef123456"')).toBe('"clientSecret":"(redacted named secret)"');
    expect(redact("postgres://ada:s3cretpass@db/x")).toBe("postgres://ada:(redacted password in an address)@db/x");
    expect(redact("https://:s3cretpass@host/x")).toBe("https://:(redacted password in an address)@host/x");
    expect(redact("Authorization: Bearer abcdefghij0123456789")).toBe("Authorization: Bearer (redacted bearer token)");
    expect(redact("Authorization: Basic dXNlcjpwYXNzd29yZA==")).toBe(
      "Authorization: Basic (redacted basic authorization)",
    );
    expect(redact("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX")).toBe(
      "https://hooks.slack.com/services/(redacted Slack address)",
    );
    expect(redact("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYD\n")).toBe("(redacted private key)");
    expect(redact(`AccountKey=${"a".repeat(86)}==;x`)).toBe("AccountKey=(redacted Azure key);x");
  });

  it("are masked behind their names in any case, wherever they stand", () => {
    const names = [
      "password",
      "passwd",
      "secret",
      "token",
      "access_token",
      "clientsecret",
      "api_key",
      "apikey",
      "private-key",
    ];
    const anyCase = fc.mixedCase(fc.constantFrom(...names));
    const secret = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{9,30}$/);
    const words = fc.constantFrom("", "Set ", "DB_", "{ ", "a: b\n", "x=1; ");
    const sign = fc.constantFrom("=", ": ", ":", " = ", '": "', "': '");
    fc.assert(
      fc.property(words, anyCase, sign, secret, (before, name, between, value) => {
        expect(redact(`${before}${name}${between}${value} after`)).toBe(
          `${before}${name}${between}(redacted named secret) after`,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(SECRETS)("are found at every place of a text: %s", (kind, secret) => {
    const filler = "The cart adds up. ".repeat(20);
    for (const before of ["", " ", filler, `${filler}"`, "(", "\n"])
      expect(redact(`${before}${secret}`), kind).toBe(`${before}(redacted ${kind})`);
  });

  it("of the environment are found as they are, and as JSON writes them", () => {
    expect(redact('it is with "quotes" and\nlines.')).toBe("it is (redacted value of the environment).");
    expect(redact(JSON.stringify('with "quotes" and\nlines'))).toBe('"(redacted value of the environment)"');
  });

  it.each([
    "a short text about tokens: none, a secret garden",
    "commit 8f14e45fceea167a5a36dedd4bea2543a1b2c3d4 of main",
    `sha256:${HEX}`,
    "run 3f2504e0-4f89-41d3-9a0c-0305e82c3301 ended",
    "total_tokens: 12345678, max_tokens=4096",
    '{"tokens":1234567890,"token":null}',
    "see https://example.org/docs/keys#token and git@github.com:owner/name.git",
    "ssh://git@example.org:22/owner/name.git",
    "src/keys/token-store.ts:120 reads the key of the monkey",
    "Basic understanding of internationalization and accessibility",
    "const key = keyOf(entry); desk-and-risk-assessment-of-the-project",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----",
    "task-yaml ask-person disk-usage npm_config_registry hf_hub",
    "eyJ is how many tokens begin",
    "sk-SK is a locale, and AKIA a name",
  ])("are not seen where there are none: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("are masked everywhere in a record, keys included", () => {
    const mark = maskOf("value of the environment");
    expect(redactJson({ a: ["x hunter2-hunter2"], "hunter2-hunter2": { b: 1, c: null } }, redact)).toEqual({
      a: [`x ${mark}`],
      [mark]: { b: 1, c: null },
    });
  });

  it("that are masked stay as they are when they are masked again, in any company", () => {
    const word = fc.constantFrom(
      ...SECRETS.map(([, secret]) => secret),
      "password: ",
      "token=",
      "://a:",
      "@b",
      " ",
      '"',
      "x",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const once = redact(words.join(" "));
        expect(redact(once)).toBe(once);
        for (const [, secret] of SECRETS) expect(` ${once} `).not.toContain(` ${secret} `);
      }),
    );
  });

  it("are looked for in linear time", () => {
    for (const text of [
      "password: ".repeat(50_000),
      "eyJ".repeat(200_000),
      "://a:".repeat(100_000),
      "-----BEGIN PRIVATE KEY-----".repeat(20_000),
      "Authorization: Basic ".repeat(30_000),
      "hooks.slack.com/services/".repeat(30_000),
      "SG.aaaaaaaaaaaaaaaaaaaaaa.".repeat(20_000),
    ])
      expect(redact(text).length).toBeGreaterThan(0);
  });
});
