import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskOf, redactJson, redactor } from "./redact.ts";

const redact = redactor(["hunter2-hunter2", "short", 'with "quotes" and\nlines']);
const HEX = "0123456789abcdef".repeat(4);
const LETTERS = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

/** None of these was ever a secret: they have the form of one and nothing else. */
const HEX32 = HEX.slice(0, 32);
const HEX40 = HEX.slice(0, 40);
const SMALL = LETTERS.toLowerCase();
const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/** At least one of every service that people use: models, clouds, forges, chats, payments, databases, observers. */
const SECRETS: readonly (readonly [string, string])[] = [
  ["Anthropic key", `sk-ant-api03-${LETTERS}`],
  ["OpenAI key", `sk-proj-${LETTERS}`],
  ["OpenAI key", `sk-${LETTERS}`],
  ["OpenRouter key", `sk-or-v1-${HEX}`],
  ["Langfuse key", `sk-lf-${UUID}`],
  ["Hugging Face token", `hf_${"aBcDe".repeat(7)}`.slice(0, 37)],
  ["Replicate token", `r8_${LETTERS}`],
  ["Groq key", `gsk_${LETTERS}${LETTERS.slice(0, 16)}`],
  ["xAI key", `xai-${LETTERS}${LETTERS}`],
  ["Perplexity key", `pplx-${LETTERS}${LETTERS.slice(0, 12)}`],
  ["NVIDIA key", `nvapi-${LETTERS}${LETTERS.slice(0, 28)}`],
  ["Cerebras key", `csk-${SMALL}${SMALL.slice(0, 12)}`],
  ["Together key", `tgp_v1_${LETTERS}`],
  ["Fireworks key", `fw_${LETTERS.slice(0, 24)}`],
  ["LangSmith key", `lsv2_pt_${HEX32}_0123456789`],
  ["Pinecone key", `pcsk_${LETTERS}_${LETTERS}`],
  ["Tavily key", `tvly-dev-${LETTERS}`],
  ["AWS key", "AKIAIOSFODNN7EXAMPLE"],
  ["Google key", `AIza${"a".repeat(35)}`],
  ["Google key", "GOCSPX-abcdefghijklmnopqrstuvwx"],
  ["Google key", `ya29.${LETTERS}`],
  ["Azure key", `abc8Q~${LETTERS.slice(0, 34)}`],
  ["Alibaba Cloud key", `LTAI${LETTERS.slice(0, 20)}`],
  ["Tencent Cloud key", `AKID${LETTERS.slice(0, 32)}`],
  ["DigitalOcean token", `dop_v1_${HEX}`],
  ["Heroku key", `HRKU-${UUID}`],
  ["Fly token", `fo1_${LETTERS}${LETTERS.slice(0, 7)}`],
  ["Netlify token", `nfp_${LETTERS}`],
  ["Render key", `rnd_${LETTERS.slice(0, 32)}`],
  ["Vercel token", `vercel_blob_rw_${LETTERS}`],
  ["Vault token", `hvs.${LETTERS}`],
  ["Terraform token", `${LETTERS.slice(0, 14)}.atlasv1.${LETTERS}${LETTERS.slice(0, 31)}`],
  ["Pulumi token", `pul-${HEX40}`],
  ["Doppler token", `dp.pt.${LETTERS}${LETTERS.slice(0, 7)}`],
  ["Tailscale key", `tskey-auth-${LETTERS.slice(0, 12)}-${LETTERS}`],
  ["GitHub token", "ghp_0123456789abcdefghijABCDEFGHIJ012345"],
  ["GitHub token", "ghs_0123456789abcdefghijABCDEFGHIJ012345"],
  ["GitHub token", `github_pat_${LETTERS}_${LETTERS}`],
  ["GitLab token", "glpat-abcdefghij0123456789"],
  ["Atlassian token", `ATATT3xFfGF0${LETTERS}${LETTERS}`],
  ["Atlassian token", `ATBB${LETTERS.slice(0, 32)}`],
  ["npm token", "npm_abcdefghijklmnopqrstuvwxyz0123456789"],
  ["PyPI token", `pypi-AgEIcHlwaS5vcmc${LETTERS}${LETTERS}`],
  ["RubyGems key", `rubygems_${HEX.slice(0, 48)}`],
  ["crates.io token", `cio${LETTERS.slice(0, 32)}`],
  ["NuGet key", `oy2${SMALL}${SMALL.slice(0, 7)}`],
  ["Docker token", `dckr_pat_${LETTERS.slice(0, 27)}`],
  ["JFrog token", `AKCp${LETTERS}${LETTERS.slice(0, 33)}`],
  ["CircleCI token", `CCIPAT_${LETTERS.slice(0, 22)}_${HEX40}`],
  ["Buildkite token", `bkua_${HEX40}`],
  ["Sonar token", `squ_${HEX40}`],
  ["Sourcegraph token", `sgp_${HEX.slice(0, 16)}_${HEX40}`],
  ["Linear key", `lin_api_${LETTERS}0123`],
  ["Notion token", `ntn_${LETTERS}0123456789`],
  ["Figma token", `figd_${LETTERS}`],
  ["Postman key", `PMAK-${HEX.slice(0, 24)}-${HEX.slice(0, 34)}`],
  ["Slack token", "xoxb-123456789012-abcdefghij"],
  ["Slack token", "xapp-1-A0123456789-abcdefghij"],
  ["Discord token", `M${LETTERS.slice(0, 23)}.GabcdE.${LETTERS.slice(0, 30)}`],
  ["Telegram token", `1234567890:AA${LETTERS.slice(0, 33)}`],
  ["Twilio key", `SK${HEX32}`],
  ["Mailgun key", `key-${HEX32}`],
  ["Mailchimp key", `${HEX32}-us12`],
  ["SendGrid key", `SG.${"a".repeat(22)}.${"b".repeat(43)}`],
  ["Resend key", `re_AbCdEfGh_${LETTERS.slice(0, 24)}`],
  ["Brevo key", `xkeysib-${HEX}-${LETTERS.slice(0, 16)}`],
  ["Stripe key", `sk_live_${LETTERS}`],
  ["Stripe key", `whsec_${LETTERS}`],
  ["Square token", `sq0atp-${LETTERS.slice(0, 22)}`],
  ["Shopify token", `shpat_${HEX32}`],
  ["Braintree token", `access_token$production$0123456789abcdef$${HEX32}`],
  ["Razorpay key", `rzp_live_${LETTERS.slice(0, 14)}`],
  ["Paddle key", `pdl_live_apikey_${SMALL}`],
  ["Plaid token", `access-sandbox-${UUID}`],
  ["PlanetScale token", `pscale_tkn_${LETTERS}`],
  ["Supabase key", `sbp_${HEX40}`],
  ["Supabase key", `sb_secret_${LETTERS}`],
  ["Neon key", `napi_${LETTERS}${LETTERS}`],
  ["MongoDB key", `mdb_sa_sk_${LETTERS}`],
  ["Databricks token", `dapi${HEX32}`],
  ["New Relic key", `NRAK-${"A1".repeat(13)}B`],
  ["Sentry token", `sntrys_${LETTERS}${LETTERS}`],
  ["Grafana token", `glsa_${LETTERS.slice(0, 32)}_01234567`],
  ["Honeycomb key", `hcaik_${SMALL}${SMALL.slice(0, 22)}`],
  ["Dynatrace token", `dt0c01.${"A1".repeat(12)}.${"B2".repeat(32)}`],
  ["PostHog key", `phx_${LETTERS}0123456`],
  ["Axiom token", `xaat-${UUID}`],
  ["LaunchDarkly key", `sdk-${UUID}`],
  ["JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"],
  ["private key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"],
  ["private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----"],
  ["private key", `AGE-SECRET-KEY-1${"A".repeat(58)}`],
  ["value of the environment", "hunter2-hunter2"],
];

/** Texts that say the same to a reader or a program, and not to a search for its letters. */
const DISGUISES: Readonly<Record<string, (secret: string) => string>> = {
  "a zero-width space inside": (secret) => inMiddle(secret, "\u200b"),
  "the JSON escape of a zero-width space inside": (secret) => inMiddle(secret, String.raw`\u200b`),
  "a soft hyphen and a direction mark inside": (secret) => inMiddle(secret, "\u00ad\u202e"),
  "a colour inside": (secret) => inMiddle(secret, "\u001b[31m"),
  "signs in URL encoding": (secret) => secret.replaceAll(/[^A-Za-z0-9\n]/g, (sign) => percent(sign)),
  "every letter in URL encoding": (secret) => secret.replaceAll(/[^\n]/g, (sign) => percent(sign)),
  "URL encoding twice": (secret) => secret.replaceAll(/[^A-Za-z0-9\n]/g, (sign) => percent(percent(sign))),
  "JSON escapes": (secret) =>
    secret.replaceAll(/[^A-Za-z0-9\n ]/g, (sign) => String.raw`\u00${(sign.codePointAt(0) ?? 0).toString(16)}`),
};

function inMiddle(secret: string, hidden: string): string {
  const middle = Math.floor(secret.length / 2);
  return `${secret.slice(0, 2)}${hidden}${secret.slice(2, middle)}${hidden}${secret.slice(middle)}`;
}

function percent(text: string): string {
  return [...text].map((sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`).join("");
}

const PLAIN_LINES: readonly string[] = [
  "token = getToken()",
  "password: validated by zod",
  "const token = await session.refreshToken();",
  "const token = req.headers.authorization;",
  "apiKey: process.env.OPENAI_API_KEY,",
  "api_key = os.environ['API_KEY']",
  "password: hashedPassword,",
  "password: string;",
  "token: string | null;",
  "readonly accessToken?: string;",
  "if (token === undefined) throw new MissingToken();",
  "secret: ${{ secrets.NPM_TOKEN }}",
  "TOKEN=$(cat token.txt)",
  "export API_KEY=$OPENAI_API_KEY",
  "password = request.form['password']",
  "self.password = generate_password_hash(password)",
  "token := parser.NextToken()",
  "let secret = config.auth.secret;",
  "token.kind: identifier, token.value: the text",
  "The token: a short text that proves who you are.",
  "Password: at least eight characters, one of them a digit.",
  'label: "Password"',
  '<input type="password" name="password" placeholder="Enter your password">',
  "<label for=password>Password</label>",
  'throw new Error("token: expected a string");',
  "private_key: path/to/the/key.pem",
  "secret: see docs/guide/secrets.md",
  "- [x] password: reset by mail works",
  "access_token: the OAuth access token of the user",
  "max_token: 4096",
  "tokens: 1234567890",
  "token_count = len(tokens)",
  "key: value",
  "keyOf(entry): returns the primary key",
  "primary_key: user_id",
  "foreign_key = orders.customer_id",
  "public_key: shown to everyone",
  "docker run -u 1000:1000 node:24",
  "docker run -u node:node node:24",
  "chown -R app:app /srv && git push -u origin:main",
  "see https://example.org/a@b and mailto:ada@example.org",
  "git clone git@github.com:owner/name.git",
  "http://localhost:3000/reset?next=/home",
  "commit 8f14e45fceea167a5a36dedd4bea2543a1b2c3d4 changes src/token.ts:12",
  "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "cookie: SameSite=Lax; HttpOnly; Secure",
  "Bearer authentication is required for this route.",
  "Authorization: the header that carries the token",
  "progress 40%25 of 100% done, see 50%2F50",
  "task-yaml, risk-free, desk-top, re_run the disk_ test",
  "the secret => is that there is none",
  "pk_column, sk_column and fw_version are names of columns",
];

describe("secrets", () => {
  it.each(SECRETS)("of a known kind are masked, and the mark tells it: %s", (kind, secret) => {
    expect(redact(`before ${secret} after`)).toBe(`before (redacted ${kind}) after`);
    expect(redact(`"${secret}"`)).toBe(`"(redacted ${kind})"`);
  });

  it("are known of more than 60 services", () => {
    expect(new Set(SECRETS.map(([kind]) => kind)).size).toBeGreaterThan(60);
  });

  it.each(Object.entries(DISGUISES))("are masked with %s", (_how, disguise) => {
    for (const [kind, secret] of SECRETS)
      expect(redact(`before ${disguise(secret)} after`), kind).toBe(`before (redacted ${kind}) after`);
  });

  it("are masked when they go on in the next line", () => {
    for (const [kind, secret] of SECRETS) {
      if (/\n|\.|hunter2/.test(secret) || secret.length < 30) continue;
      const middle = secret.length - 12;
      const [first, rest] = [secret.slice(0, middle), secret.slice(middle)];
      if (!/[A-Z0-9]/.test(rest)) continue;
      expect(redact(`key ${first}\n    ${rest}\nThe next line.`), kind).toBe(`key (redacted ${kind})\nThe next line.`);
      expect(redact(`curl ${first}\\\n${rest}`), kind).toBe(`curl (redacted ${kind})`);
      expect(redact(`"${first}" + "${rest}"`), kind).toBe(`"(redacted ${kind})"`);
    }
    const key = `ghp_${LETTERS}`;
    expect(redact(`${key}\nImplementation\n${HEX32}`)).toBe(`(redacted GitHub token)\nImplementation\n${HEX32}`);
  });

  it.each([
    ['dbPassword: "correct-horse-battery"', 'dbPassword: "(redacted named secret)"'],
    ["const githubToken = 'a1b2c3d4e5f6';", "const githubToken = '(redacted named secret)';"],
    ["stripeSecretKey: a1b2c3d4e5f6g7", "stripeSecretKey: (redacted named secret)"],
    ['"{\\"password\\":\\"correct-horse\\"}"', '"{\\"password\\":\\"(redacted named secret)\\"}"'],
    ['"accessToken": "ab\\"cd12345678"', '"accessToken": "(redacted named secret)"'],
    ["X-API-KEY: a1b2c3d4e5f6", "X-API-KEY: (redacted named secret)"],
    ["PRIVATE-TOKEN: a1b2c3d4e5f6", "PRIVATE-TOKEN: (redacted named secret)"],
    ["AUTHORIZATION: BEARER a1b2c3d4e5f6a7b8", "AUTHORIZATION: BEARER (redacted bearer token)"],
    ["AUTHORIZATION: BASIC dXNlcjpwYXNzd29yZA==", "AUTHORIZATION: BASIC (redacted basic authorization)"],
    ["Authorization: token a1b2c3d4e5f6a7b8c9", "Authorization: token (redacted bearer token)"],
    ["COOKIE: lang=de; sid=a1b2c3d4e5f6a7b8c9", "COOKIE: lang=de; sid=(redacted session cookie)"],
    ["curl -u ada:s3cret-pass https://x.test", "curl -u ada:(redacted password of a command) https://x.test"],
    ["curl --user 'ada:s3cret-pass' x", "curl --user 'ada:(redacted password of a command)' x"],
    ["mysqldump --password a1b2c3d4e5 shop", "mysqldump --password (redacted named secret) shop"],
    ["deploy --api-token=a1b2c3d4e5f6", "deploy --api-token=(redacted named secret)"],
    ["DB_PASSWORD=correcthorsebattery", "DB_PASSWORD=(redacted named secret)"],
    ["export SMTP_PASSWORD='correct-horse'", "export SMTP_PASSWORD='(redacted named secret)'"],
    ["<password>correct7horse</password>", "<password>(redacted named secret)</password>"],
    ["**Token:** a1b2c3d4e5f6", "**Token:** (redacted named secret)"],
    ['password := "correct-horse"', 'password := "(redacted named secret)"'],
    ["https://a1b2c3d4e5f6a7b8c9@git.test/x.git", "https://(redacted token in an address)@git.test/x.git"],
    ["https://x.test/?access_token=a1b2c3d4e5&page=2", "https://x.test/?access_token=(redacted named secret)&page=2"],
    [
      "https://x.test/b?sv=2&sig=a1b2c3d4%2Be5%3D&se=1",
      "https://x.test/b?sv=2&sig=(redacted signature in an address)&se=1",
    ],
    ["postgres%3A%2F%2Fada%3As3cretpass%40db", "postgres%3A%2F%2Fada%3A(redacted password in an address)%40db"],
    ["mongodb+srv://ada:s3cretpass@c0.test/shop", "mongodb+srv://ada:(redacted password in an address)@c0.test/shop"],
    ["pass\u200bword: a1b2c3d4e5", "pass\u200bword: (redacted named secret)"],
  ])("are masked in %j", (text, masked) => {
    expect(redact(text)).toBe(masked);
    expect(redact(masked)).toBe(masked);
  });

  it("are masked where the name is the key of a record", () => {
    const record = { dbPassword: "correct-horse", token: "getToken", count: 3, tokens: "a1b2c3d4e5f6" };
    expect(redactJson(record, redact)).toEqual({
      ...record,
      dbPassword: "(redacted named secret)",
      token: "(redacted named secret)",
    });
  });

  it("are told from ordinary code and prose: at most 2 of 50 plain lines are touched", () => {
    const touched = PLAIN_LINES.filter((line) => redact(line) !== line);
    expect(PLAIN_LINES.length).toBeGreaterThanOrEqual(50);
    expect(touched.length, touched.join("\n")).toBeLessThanOrEqual(2);
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
    const secret = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{8,29}[0-9]$/);
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
      "%25".repeat(300_000),
      "A1b2C3d4\n".repeat(100_000),
      "\u200b".repeat(500_000),
      "Cookie: ".concat("a=".repeat(400_000)),
      "://".repeat(300_000),
      `password: "${"\\".repeat(800_000)}`,
      "-u a:".repeat(150_000),
      "\u001b]".repeat(300_000),
    ])
      expect(redact(text).length).toBeGreaterThan(0);
  });
});
