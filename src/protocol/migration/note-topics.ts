import { type Label, foldedTitle } from "./note-text.ts";
import { type SentenceTopic, titleTopics } from "./note-titles.ts";

/** What the words of a statement say it is about. */
export interface OwnTopic {
  readonly topic: SentenceTopic;
  /** It begins with them, as with `Gotcha:` or "Watch out": no heading above it says otherwise. */
  readonly isLead: boolean;
}

/** A date or time before an entry of a log: `10:05`, `2031-01-21:`, `[10:05]`. */
const STAMP =
  /^[\s*_[(-]{0,8}\d{1,4}[-:./h]\d{2}(?:[-:./]\d{2,4}){0,2}(?:\s?[ap]m\b)?[\])*_]{0,4}[\s:,\u2013\u2014-]{0,4}/i;

/** Where the words of a statement begin: past stamps, marks and words that say nothing yet. */
function leadOf(shown: string): string {
  const words = shown.slice(0, MAX_LEAD).replace(STAMP, "");
  return words
    .replace(/^[^\p{L}\p{N}\u0001]{0,8}/u, "")
    .replace(
      /^(?:also|finally|today|then|first|second|so far|in addition|additionally|meanwhile),?\s{1,4}(?=(?:i|we)\b)/i,
      "",
    )
    .replace(
      /^(?:i|we)(?:['\u2019]ve| have| has)?(?: also| now| just| then| already| finally| successfully){0,2}\s{1,4}/i,
      "",
    )
    .replace(/^(?:successfully|also|now|then|finally)\s{1,4}/i, "");
}
const MAX_LEAD = 200;

/** Words that a statement of the topic begins with. */
const LEADS: readonly (readonly [RegExp, SentenceTopic])[] = [
  [
    /^(?:watch out|be careful|careful\b|beware|heads[ -]?up|caution\b|caveat\b|gotcha\b|mind (?:the|that)|keep in mind|do(?:n['\u2019]t| not) forget|attention\b|achtung\b|vorsicht\b|cuidado\b)/i,
    "gotcha",
  ],
  [
    /^(?:(?:it|this|the (?:task|work|rest)) (?:is|was) )?(?:currently )?(?:still )?blocked (?:by|on|until)\b|^(?:am|are|is) (?:still )?(?:blocked|stuck)\b|^(?:can(?:not|['\u2019]t| not)|could not|couldn['\u2019]t) (?:continue|proceed|go on|finish)\b|^(?:still )?waiting (?:for|on)\b/i,
    "blocker",
  ],
  [/^(?:decided|chose|opted|agreed|settled on|went (?:with|for)|decision:)\b/i, "decision"],
  [/^always use\b/i, "pattern"],
  [
    /^(?:it (?:is|remains) )?(?:still )?(?:unclear|not clear|undecided|not sure|unsure) (?:whether|if|how|why|what|who|which|when|where)\b/i,
    "question",
  ],
  [
    /^(?:next(?: up| step)?|after that|afterwards)(?:[,:]|\s+(?:i|we|you|is|would|one|step|the|someone|somebody)\b)|^todo\b|^to do:|^(?:you|we|someone|somebody|the next (?:agent|session|person|developer)|whoever \w+ \w+) (?:should|must|needs? to|ha(?:s|ve) to)\b|^(?:still )?(?:needs?|remains?) to be\b/i,
    "step",
  ],
];

/** "Then clean the hall", but not "Then the tests passed". */
const THEN = /^\W{0,6}then,? (?!(?:i|we|it|he|she|they|the|a|an|this|that|there|you)\b)\p{L}/iu;

/** Words that tell the topic anywhere in a statement. */
const INNER: readonly (readonly [RegExp, SentenceTopic])[] = [
  [/\bwatch out\b|\bbe careful\b|\bbeware\b|\bkeep in mind\b/i, "gotcha"],
  [/\balways use\b/i, "pattern"],
  [/\b(?:unclear|not sure|unsure|not clear) (?:whether|if|how|why|what|who|which|when|where)\b/i, "question"],
  [
    /\b(?:is|are|am|was|we['\u2019]re|i['\u2019]m) (?:still |currently )?(?:blocked (?:by|on)|stuck on|waiting (?:for|on))\b/i,
    "blocker",
  ],
  [
    /\b(?:i|we|team|they) (?:\w+ )?(?:decided|chose|opted|agreed|settled on|went (?:with|for))\b|\b(?:was|were|it is) decided\b/i,
    "decision",
  ],
];

/** "should", "must" and "needs to" ask for something; what should be so already, or only if, does not. */
const ASKED = /\b(?:should|needs? to|has to|have to|still (?:needs?|has|have) to|remains? to)\b/i;
const NOT_ASKED =
  /\b(?:if|unless|should we|in case|whenever|would|could|might|until|so that|because|ever)\b|\bshould (?:now|not|never|always|have|work|pass|be (?:fine|ok|okay|enough|safe|good|green|able)|see|show|print|return|match|already|only)\b|\b(?:decide|thought|said|says|knew|expect(?:s|ed)?)\b|\bn['\u2019]t\b|\bnot\b/i;

const DONE_VERBS =
  "added|adapted|adjusted|aligned|analy[sz]ed|applied|automated|built|bumped|cached|changed|cleaned up|closed|committed|compiled|completed|" +
  "configured|connected|consolidated|converted|corrected|covered|created|cut|defined|deleted|deployed|designed|diagnosed|disabled|" +
  "documented|dropped|drafted|enabled|enforced|ensured|evaluated|expanded|exported|exposed|extended|extracted|finali[sz]ed|finished|fixed|forked|" +
  "generated|got|handled|hardened|implemented|improved|increased|inlined|installed|integrated|introduced|investigated|landed|made|marked|" +
  "mapped|merged|migrated|modified|moved|narrowed|normali[sz]ed|optimi[sz]ed|parameteri[sz]ed|patched|pinned|polished|ported|profiled|" +
  "published|pushed|put|raised|rebased|rebuilt|reduced|refactored|registered|released|removed|renamed|reorgani[sz]ed|replaced|reproduced|" +
  "resolved|restored|restructured|reverted|reviewed|reworked|rewrote|rolled out|secured|separated|set up|shipped|simplified|solved|sped up|split|" +
  "standardi[sz]ed|stopped|stored|switched|synced|traced|translated|tuned|turned|unified|updated|upgraded|validated|verified|wired|" +
  "worked around|wrapped|wrote";
const DONE_LEAD = new RegExp(`^(?:${DONE_VERBS})\\b(?!:)`, "i");

/** It begins with what was done: "marked as complete", "added the retry". */
export function beginsWithDone(words: string): boolean {
  return DONE_LEAD.test(words);
}

/** It was not done, or only wanted. */
const NOT_DONE =
  /\b(?:not (?:yet )?(?:been )?(?:done|started|finished|written|implemented|tested|created|changed|touched|completed|included|covered|wired|merged)|was(?:n['\u2019]t| not)|were(?:n['\u2019]t| not)|has(?:n['\u2019]t| not)|have(?:n['\u2019]t| not)|never|postponed|deferred|skipped|cancell?ed|abandoned|reverted because|ran out of time|going to|wanted to|planned to|meant to|tried to|about to)\b/i;

const CHECKED =
  /\b(?:tests|tests? (?:suites?|runs?|plans?|cases?|pass\w*|fail\w*|is|was)|suites?|specs?|checks?|builds?|lint(?:er|ing)?|type[ -]?check(?:er|s|ing)?|ci|pipeline|coverage|regressions?)\b/i;
const CHECK_RESULT =
  /\b(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|green|red|clean|skipped|succeed(?:s|ed)?|broken|flaky|not (?:been )?run|not (?:been )?executed)\b|\bcoverage\b.{0,30}\d ?%|\d ?% (?:coverage|pass)|\bno (?:regressions?|errors?|failures?|drops?)\b/i;
/** "Not tested on X", "tested by hand", "ran it twice: no drops". */
const TESTED =
  /^(?:not tested|untested|tested|ran|(?:double-)?checked that|verified that|confirmed that|run by hand|verified (?:manually|by hand)|manually (?:tested|verified)|(?:have |has )?not run)\b|\b(?:not (?:yet )?(?:been )?tested|untested)\b|\b(?:did not|didn['\u2019]t) (?:write|add|run) (?:any )?(?:new )?tests?\b|^no (?:new |automated |unit )?tests?\b|\b(?:have|has)(?:n['\u2019]t| not) (?:been )?(?:run|tested)\b/i;
const ONLY_HOPED =
  /\b(?:should|will|would|must|expect(?:s|ed)?|until|unless|if|before|need(?:s|ed)? to|make sure|ensure|so that|to (?:pass|run|make))\b|\?\s*$/i;

/** What a statement is about by its own words. `shown` is the statement with quoted words hidden. */
export function ownTopic(shown: string, label: Label | null): OwnTopic | null {
  const labelled = label === null ? undefined : labelTopic(label);
  if (labelled !== undefined) return { topic: labelled, isLead: true };
  const lead = leadOf(shown);
  if (THEN.test(shown) && !DONE_LEAD.test(lead)) return { topic: "step", isLead: true };
  const [, leading] = LEADS.find(([words]) => words.test(lead)) ?? [];
  if (leading !== undefined) return { topic: leading, isLead: true };
  if (isAsked(shown)) return { topic: "question", isLead: false };
  const topic = innerTopic(shown, lead);
  return topic === null ? null : { topic, isLead: false };
}

/** It ends with a question mark. */
export function isAsked(shown: string): boolean {
  return (
    /\?[*_)\]!?.\s]*$/.test(shown.slice(-12)) ||
    /^\W{0,6}(?:decide|clarify|find out|confirm) (?:whether|if|how|who|which)\b/i.test(shown.slice(0, 60))
  );
}

/** "Do not run it against production": a warning to the next one. */
const FORBIDDEN = /^(?:do not|don['\u2019]t|never|avoid)\s+\p{L}/iu;
const LEFT_OPEN =
  /\b(?:not (?:done|implemented|finished|migrated|covered|wired up) yet|still (?:missing|to do|needs? a|needs? the)|yet to be)\b/i;
const NOW_DONE =
  /\b(?:is|are) (?:now )?(?:done|finished|complete|implemented|in place|merged|deployed|live|fixed)\b|\bnow (?:works?|uses?|supports?|handles?|shows?|runs?|returns?|opens?|keeps?)\b/i;
const ON_CONDITION =
  /\b(?:if|when|once|until|unless|before|after|as soon as|should|must|will|would|whether|no longer)\b|\?/i;

function tellsDone(words: string, lead: string): boolean {
  if (NOT_DONE.test(words)) return false;
  return DONE_LEAD.test(lead) || (NOW_DONE.test(words) && !ON_CONDITION.test(words) && !ALL_OF_IT.test(lead));
}

/** "Everything is done" says how all of it ended. */
const ALL_OF_IT = /^(?:[\p{L} ]{1,20}: )?(?:everything|all|(?:the|this) (?:task|work|ticket|session))\b/iu;

function innerTopic(shown: string, lead: string): SentenceTopic | null {
  const words = shown.slice(0, MAX_WORDS);
  const [, inner] = INNER.find(([pattern]) => pattern.test(words)) ?? [];
  if (inner !== undefined) return inner;
  if (isCheckResult(words, lead)) return "test";
  if (FORBIDDEN.test(lead)) return "gotcha";
  if (LEFT_OPEN.test(words) && !NOT_ASKED.test(words.replace(LEFT_OPEN, ""))) return "step";
  if (tellsDone(words, lead)) return "done";
  return ASKED.test(words) && !NOT_ASKED.test(words) ? "step" : null;
}
const MAX_WORDS = 1000;

function isCheckResult(words: string, lead: string): boolean {
  if (ONLY_HOPED.test(words.replace(TESTED, "").replace(/\bbefore i started\b/i, ""))) return false;
  return (
    TESTED.test(lead) || TESTED.test(words) || (CHECKED.test(words) && CHECK_RESULT.test(words) && !/^fix/i.test(lead))
  );
}

/** Under a heading for tests: what was run and seen, not what to run. */
export function tellsResult(shown: string): boolean {
  const lead = leadOf(shown);
  return (
    /\p{L}{2}.*\s.*\p{L}{2}/su.test(lead.replaceAll("\u0001", "")) &&
    !/^(?:run|execute|open|click|navigate|start|verify|check|confirm|test|ensure|make sure|install|use|see|go to|try|wait|add|write|call)\b/i.test(
      lead,
    )
  );
}

/** The statement says that it is not so. */
export function saysNotDone(shown: string): boolean {
  return NOT_DONE.test(shown.slice(0, MAX_WORDS));
}

/** The topic that a label names, when it says nothing else. */
export function labelTopic(label: Label): SentenceTopic | undefined {
  const [topic] = titleTopics(foldedTitle(label.name));
  return topic === "files" || topic === "reading" || topic === "outcome" ? undefined : topic;
}
