const SIGN_AT_END = /[-_.$]$/;

/** A kind of secret that can be told by its own letters, wherever it stands. */
interface SecretForm {
  readonly kind: string;
  /** Those that such a secret begins with; empty where that is not said by letters alone. */
  readonly prefixes: readonly string[];
  /** Finds something in every text that has such a secret, and in few others. */
  readonly hint: RegExp;
  readonly form: RegExp;
}

/** Begins with one of these prefixes, not in the middle of a word, and goes on with `rest`. */
function begins(kind: string, prefixes: readonly string[], rest: string): SecretForm {
  const form = new RegExp(`${startOf(prefixes)}${rest}`, "g");
  return { kind, prefixes, hint: new RegExp(startOf(prefixes)), form };
}

function startOf(prefixes: readonly string[]): string {
  return `(?<![A-Za-z0-9])(?:${prefixes.map((prefix) => prefix.replaceAll(/[.$]/g, String.raw`\$&`)).join("|")})`;
}

function looksLike(kind: string, hint: RegExp, form: RegExp): SecretForm {
  return { kind, prefixes: [], hint, form };
}

const MODEL_SERVICES: readonly SecretForm[] = [
  begins("Anthropic key", ["sk-ant-"], String.raw`[\w-]{16,200}`),
  begins("OpenRouter key", ["sk-or-"], String.raw`[\w-]{16,200}`),
  begins("Langfuse key", ["sk-lf-", "pk-lf-"], String.raw`[\w-]{16,200}`),
  begins("OpenAI key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], String.raw`[\w-]{16,200}`),
  begins("OpenAI key", ["sk-"], String.raw`[A-Za-z0-9]{32,200}\b`),
  begins("Hugging Face token", ["hf_", "api_org_"], String.raw`[A-Za-z]{30,40}\b`),
  begins("Replicate token", ["r8_"], String.raw`[A-Za-z0-9]{30,60}\b`),
  begins("Groq key", ["gsk_"], String.raw`[A-Za-z0-9]{40,80}\b`),
  begins("xAI key", ["xai-"], String.raw`[A-Za-z0-9]{60,100}\b`),
  begins("Perplexity key", ["pplx-"], String.raw`[A-Za-z0-9]{40,80}\b`),
  begins("NVIDIA key", ["nvapi-"], String.raw`[\w-]{40,100}`),
  begins("Cerebras key", ["csk-"], String.raw`[A-Za-z0-9]{40,80}\b`),
  begins("Together key", ["tgp_v1_"], String.raw`[\w-]{30,80}`),
  begins("Fireworks key", ["fw_"], String.raw`[A-Za-z0-9]{20,60}\b`),
  begins("LangSmith key", ["lsv2_pt_", "lsv2_sk_"], String.raw`[0-9a-f]{32}_[0-9a-f]{10}\b`),
  begins("Pinecone key", ["pcsk_"], String.raw`\w{40,100}`),
  begins("Tavily key", ["tvly-"], String.raw`[A-Za-z0-9-]{20,60}`),
];

const CLOUDS: readonly SecretForm[] = [
  begins("AWS key", ["AKIA", "ASIA", "ABIA", "ACCA"], String.raw`[A-Z0-9]{16}\b`),
  begins("Google key", ["AIza"], String.raw`[\w-]{35}`),
  begins("Google key", ["GOCSPX-"], String.raw`[\w-]{20,60}`),
  begins("Google key", ["ya29."], String.raw`[\w-]{20,300}`),
  looksLike("Azure key", /(?:Account|Access)Key=/, /(?<=\b(?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{40,100}={0,2}/g),
  looksLike("Azure key", /[78]Q~/, /(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])/g),
  begins("Alibaba Cloud key", ["LTAI"], String.raw`[A-Za-z0-9]{12,24}\b`),
  begins("Tencent Cloud key", ["AKID"], String.raw`[A-Za-z0-9]{32}\b`),
  begins("DigitalOcean token", ["dop_v1_", "doo_v1_", "dor_v1_"], String.raw`[0-9a-f]{64}\b`),
  begins("Heroku key", ["HRKU-"], String.raw`[\w-]{36,80}`),
  begins("Fly token", ["fo1_"], String.raw`[\w-]{40,60}`),
  begins("Fly token", ["fm1r_", "fm2_"], String.raw`[A-Za-z0-9+/]{100,1000}={0,3}`),
  begins("Netlify token", ["nfp_"], String.raw`[A-Za-z0-9]{36,60}\b`),
  begins("Render key", ["rnd_"], String.raw`[A-Za-z0-9]{28,40}\b`),
  begins("Vercel token", ["vercel_blob_rw_"], String.raw`[A-Za-z0-9_]{30,80}\b`),
  begins("Vault token", ["hvs.", "hvb.", "hvr."], String.raw`[\w-]{24,300}`),
  looksLike("Terraform token", /\.atlasv1\./, /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}/g),
  begins("Pulumi token", ["pul-"], String.raw`[0-9a-f]{40}\b`),
  begins("Doppler token", ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], String.raw`[\w.-]{40,100}`),
  begins("1Password token", ["ops_eyJ"], String.raw`[\w-]{100,2000}`),
  begins("Tailscale key", ["tskey-"], String.raw`[a-z]{2,10}-[\w-]{16,100}`),
];

const FORGES: readonly SecretForm[] = [
  begins("GitHub token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], String.raw`[A-Za-z0-9]{30,255}\b`),
  begins("GitHub token", ["github_pat_"], String.raw`\w{30,255}\b`),
  begins(
    "GitLab token",
    ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glagent-", "gloas-"],
    String.raw`[\w-]{20,100}`,
  ),
  begins("Atlassian token", ["ATATT3x", "ATCTT3x", "ATBB"], String.raw`[\w=-]{24,300}`),
  begins("npm token", ["npm_"], String.raw`[A-Za-z0-9]{36}\b`),
  begins("PyPI token", ["pypi-"], String.raw`[\w-]{50,300}`),
  begins("RubyGems key", ["rubygems_"], String.raw`[0-9a-f]{48}\b`),
  begins("crates.io token", ["cio"], String.raw`[A-Za-z0-9]{32}\b`),
  begins("NuGet key", ["oy2"], String.raw`[a-z0-9]{43}\b`),
  begins("Docker token", ["dckr_pat_", "dckr_oat_"], String.raw`[\w-]{20,60}`),
  begins("JFrog token", ["AKCp"], String.raw`[A-Za-z0-9]{60,80}\b`),
  begins("CircleCI token", ["CCIPAT_"], String.raw`[A-Za-z0-9]{10,40}_[0-9a-f]{40}\b`),
  begins("Buildkite token", ["bkua_"], String.raw`[0-9a-f]{40}\b`),
  begins("Sonar token", ["squ_", "sqp_", "sqa_"], String.raw`[0-9a-f]{40}\b`),
  begins("Sourcegraph token", ["sgp_"], String.raw`\w{40,100}`),
  begins("Linear key", ["lin_api_", "lin_oauth_"], String.raw`[A-Za-z0-9]{32,64}\b`),
  begins("Notion token", ["ntn_"], String.raw`[A-Za-z0-9]{40,60}\b`),
  begins("Figma token", ["figd_"], String.raw`[\w-]{36,60}`),
  begins("Postman key", ["PMAK-"], String.raw`[0-9a-f]{24}-[0-9a-f]{34}\b`),
];

const CHATS: readonly SecretForm[] = [
  begins(
    "Slack token",
    ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe.xoxp-", "xapp-"],
    String.raw`[\w-]{10,200}`,
  ),
  looksLike(
    "Slack address",
    /hooks\.slack\.com/,
    /(?<=\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{20,200}/g,
  ),
  looksLike(
    "Discord address",
    /\/api\/webhooks\//,
    /(?<=\bdiscord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/)[\w-]{50,100}/g,
  ),
  looksLike(
    "Discord token",
    /\.[\w-]{6}\.[\w-]{27}/,
    /(?<![\w.])[MNO][A-Za-z\d_-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])/g,
  ),
  looksLike("Telegram token", /:AA/, /(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])/g),
  looksLike("Twilio key", /SK[0-9a-f]{32}/, /(?<![A-Za-z0-9])SK[0-9a-f]{32}\b/g),
  looksLike("Mailgun key", /key-[0-9a-f]{32}/, /(?<![A-Za-z0-9-])key-[0-9a-f]{32}\b/g),
  looksLike("Mailchimp key", /[0-9a-f]-us\d/, /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}\b/g),
  begins("SendGrid key", ["SG."], String.raw`[\w-]{20,24}\.[\w-]{40,46}`),
  begins("Resend key", ["re_"], String.raw`[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}\b`),
  begins("Brevo key", ["xkeysib-"], String.raw`[0-9a-f]{64}-[A-Za-z0-9]{16}\b`),
];

const PAYMENTS: readonly SecretForm[] = [
  looksLike(
    "Stripe key",
    /[srp]k[-_](?:live|test)[-_]|whsec_/,
    /(?<![A-Za-z0-9])(?:(?:sk|rk|pk)[-_](?:live|test)[-_]|whsec_)[\w-]{16,200}/g,
  ),
  begins("Square token", ["sq0atp-", "sq0csp-"], String.raw`[\w-]{22,60}`),
  begins("Shopify token", ["shpat_", "shpss_", "shpca_", "shppa_"], String.raw`[0-9a-fA-F]{32}\b`),
  begins(
    "Braintree token",
    ["access_token$production$", "access_token$sandbox$"],
    String.raw`[0-9a-z]{16}\$[0-9a-f]{32}\b`,
  ),
  begins("Razorpay key", ["rzp_live_", "rzp_test_"], String.raw`[A-Za-z0-9]{14}\b`),
  begins("Paddle key", ["pdl_live_apikey_", "pdl_sdbx_apikey_"], String.raw`\w{30,80}`),
  looksLike(
    "Plaid token",
    /access-[a-z]{7,11}-[0-9a-f]{8}-/,
    /(?<![A-Za-z0-9])access-(?:sandbox|production|development)-[0-9a-f]{8}-[0-9a-f-]{27}\b/g,
  ),
];

const DATABASES: readonly SecretForm[] = [
  begins("PlanetScale token", ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], String.raw`[\w.-]{32,64}`),
  begins("Supabase key", ["sbp_"], String.raw`[0-9a-f]{40}\b`),
  begins("Supabase key", ["sb_secret_"], String.raw`[\w-]{20,60}`),
  begins("Neon key", ["napi_"], String.raw`[A-Za-z0-9]{40,80}\b`),
  begins("MongoDB key", ["mdb_sa_sk_"], String.raw`[\w-]{30,60}`),
  begins("Databricks token", ["dapi"], String.raw`[0-9a-f]{32}(?:-\d)?\b`),
];

const OBSERVERS: readonly SecretForm[] = [
  begins("New Relic key", ["NRAK-"], String.raw`[A-Z0-9]{27}\b`),
  begins("Sentry token", ["sntrys_", "sntryu_"], String.raw`[\w=+/-]{40,300}`),
  begins("Grafana token", ["glsa_"], String.raw`[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b`),
  begins("Grafana token", ["glc_"], String.raw`[A-Za-z0-9+/]{32,400}={0,2}`),
  begins("Honeycomb key", ["hcaik_", "hcbik_", "hcaic_", "hcxik_"], String.raw`[a-z0-9]{40,64}\b`),
  begins("Dynatrace token", ["dt0c01.", "dt0s01.", "dt0s16."], String.raw`[A-Z0-9]{24}\.[A-Z0-9]{64}\b`),
  begins("PostHog key", ["phx_"], String.raw`[A-Za-z0-9]{40,60}\b`),
  begins("Axiom token", ["xaat-", "xapt-"], String.raw`[0-9a-f-]{36}\b`),
  looksLike(
    "LaunchDarkly key",
    /(?:sdk|api)-[0-9a-f]{8}-/,
    /(?<![A-Za-z0-9-])(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
  ),
];

const ANY_SERVICE: readonly SecretForm[] = [
  begins("private key", ["AGE-SECRET-KEY-"], String.raw`1[A-Z0-9]{50,70}\b`),
  looksLike("JWT", /eyJ/, /(?<![A-Za-z0-9])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g),
  looksLike(
    "password in an address",
    /:\/\/[^\s/@]{0,300}@/,
    /(?<=:\/\/[^\s/:@"'<>]{0,100}:)(?!\(redacted )[^\s/@"'<>]{3,200}(?=@)/g,
  ),
  looksLike(
    "token in an address",
    /:\/\/[^\s/@]{0,300}@/,
    /(?<=:\/\/)(?=[^\s/:@]*\d)[\w~.-]{16,300}(?=(?::x-oauth-basic)?@)/g,
  ),
  looksLike(
    "signature in an address",
    /[?&;](?:sig|x-)/i,
    /(?<=[?&;](?:sig|signature|x-(?:amz|goog)-(?:signature|security-token|credential))=)(?!\(redacted )[^\s&"'<>#]{8,2000}/gi,
  ),
  looksLike("bearer token", /bearer /i, /(?<=\bbearer )[\w.~+/-]{16,2000}={0,2}/gi),
  looksLike(
    "bearer token",
    /authorization/i,
    /(?<=\b(?:proxy-)?authorization["'\\]{0,2}\s{0,3}[:=]\s{0,3}["'\\]{0,2}(?:token|apikey|key|digest) )[\w.~+/=-]{16,2000}/gi,
  ),
  looksLike(
    "basic authorization",
    /authorization/i,
    /(?<=\bauthorization["'\\]{0,2}\s{0,3}[:=]\s{0,3}["'\\]{0,2}basic )[A-Za-z0-9+/]{8,500}={0,2}/gi,
  ),
  looksLike(
    "session cookie",
    /cookie["']?:/i,
    /(?<=\b(?:set-)?cookie["']?:[^\n]{0,300}?[\w.-]{1,60}=)[\w%.~+/-]{16,2000}/gi,
  ),
  looksLike(
    "password of a command",
    /-u ?[^\s:]{1,100}:|-user[ =]/,
    /(?<=(?:^|\s)(?:-u ?|--(?:proxy-)?user[ =])["']?(?<user>[^\s:"'=]{1,100}):)(?!\(redacted |\d+(?:\s|$)|\k<user>(?:\s|$))[^\s"'$]{4,200}/g,
  ),
];

export const SECRET_FORMS: readonly SecretForm[] = [
  ...MODEL_SERVICES,
  ...CLOUDS,
  ...FORGES,
  ...CHATS,
  ...PAYMENTS,
  ...DATABASES,
  ...OBSERVERS,
  ...ANY_SERVICE,
];

/**
 * One of these finds something in every text that has a secret of these forms. Most prefixes end with a sign that is
 * rarer than letters: there the search begins, and looks back.
 */
export const FORM_HINTS: readonly RegExp[] = [
  new RegExp(`[-_.$](?<=${startOf(prefixesThat((prefix) => SIGN_AT_END.test(prefix)))})`),
  new RegExp(startOf(prefixesThat((prefix) => !SIGN_AT_END.test(prefix)))),
  ...["", "i"].map((flags) => new RegExp(otherHints(flags).join("|"), flags)),
];

function prefixesThat(isWanted: (prefix: string) => boolean): string[] {
  return SECRET_FORMS.flatMap(({ prefixes }) => prefixes.filter(isWanted));
}

function otherHints(flags: string): string[] {
  return SECRET_FORMS.flatMap(({ prefixes, hint }) =>
    prefixes.length === 0 && hint.flags === flags ? [hint.source] : [],
  );
}
