import { foldedTitle, plainTitle } from "./note-text.ts";

/** What a statement of a note can be about. */
export type Topic = SentenceTopic | "files" | "reading" | "outcome";

/** A topic whose statements are sentences rather than files. */
export type SentenceTopic =
  | "gotcha"
  | "pattern"
  | "question"
  | "step"
  | "blocker"
  | "done"
  | "decision"
  | "test"
  | "limitation"
  | "assumption"
  | "summary";

/** What was done to a file; `extended` when something was added to it, `changed` when the notes do not say what. */
export type Change = "created" | "modified" | "deleted" | "refactored" | "extended" | "changed";

/** What a heading or label says of the statements below it. */
export interface Context {
  readonly topics: readonly Topic[];
  readonly change: Change | null;
  /** "High priority" over a list of steps, and where it stands. */
  readonly level?: { readonly word: string; readonly start: number; readonly end: number };
}

export const NO_CONTEXT: Context = { topics: [], change: null };

/** Words that say that something was done to a file; `added` alone may mean the file or something in it. */
export const CHANGE_WORDS: ReadonlyMap<string, Change> = new Map<string, Change>([
  ...each("created", "created new added written"),
  ...each(
    "modified",
    "modified changed updated edited fixed adapted adjusted patched corrected reworked rewritten expanded extended improved tweaked simplified hardened",
  ),
  ...each("deleted", "deleted removed"),
  ...each("refactored", "refactored restructured"),
]);

function each(change: Change, words: string): [string, Change][] {
  return words.split(" ").map((word) => [word, change]);
}

/** The same words in titles, in several languages, without accents. */
const TITLE_CHANGES: readonly (readonly [RegExp, Change])[] = [
  [
    /^(?:created|new|added|neue?[nrs]?|erstellte?n?|angelegte?n?|hinzugefugte?n?|cree?e?s?|nouveaux?|nouvel(?:le)?s?|ajoutee?s?|cread[oa]s?|nuev[oa]s?|anadid[oa]s?|agregad[oa]s?|criad[oa]s?|nov[oa]s?|adicionad[oa]s?|creat[oiae]|nuov[oiae]|aggiunt[oiae]|новые|созданные|созданы|新增|新增文件|新建文件|新規ファイル)$/u,
    "created",
  ],
  [
    /^(?:modified|updated|edited|fixed|geanderte?n?|angepasste?n?|aktualisierte?n?|modifiee?s?|changee?s?|modificad[oa]s?|cambiad[oa]s?|actualizad[oa]s?|alterad[oa]s?|atualizad[oa]s?|modificat[oiae]|aggiornat[oiae]|измененные|изменены|修改|修改文件|修改的文件|变更文件)$/u,
    "modified",
  ],
  [
    /^(?:deleted|removed|gone|geloschte?n?|entfernte?n?|supprimee?s?|eliminad[oa]s?|borrad[oa]s?|removid[oa]s?|excluid[oa]s?|apagad[oa]s?|eliminat[oiae]|rimoss[oiae]|удаленные|удалены|删除|删除文件|删除的文件)$/u,
    "deleted",
  ],
  [/^refactored$/, "refactored"],
  [
    /^(?:changed|touched|changes|anderungen|cambios|changements|mudancas|alteracoes|modifiche|изменения|变更|変更|変更ファイル)$/u,
    "changed",
  ],
];

const FILE_NOUN = /^(?:files?|paths|dateien|datei|fichiers?|archivos?|ficheros?|arquivos?|файлы|文件|ファイル)$/u;

/** Titles as they stand, without accents; each list in several languages. */
const TITLES: Readonly<Record<Exclude<Topic, "files">, string>> = {
  reading:
    "files to read|files to review|files to read first|files to look at|read first|read these first|read this first|start here|where to start|dependencies for next|zuerst lesen|a lire d'abord|a lire|leer primero|ler primeiro|da leggere",
  gotcha:
    "don't|don'ts|do not|dos and don'ts|do's and don'ts|avoid|never|quirks|oddities|footguns|tricky parts|tricky bits|what bit me|things that bit me|pain points|what you should know|what to know|please note|known bugs|bugs|what went wrong|challenges|concerns|errors|failures|sharp corners|traps and tips|worauf zu achten ist|zu beachten|bekannte fehler|a savoir|a surveiller|risques|problemes|ojo|riesgos|problemas|riscos|pontos de atencao|rischi|риски|проблемы|风险|既知の問題|gotcha|gotchas|achtung|vorsicht|stolperfallen|fallstricke|hinweise und fallen|bekannte probleme|attention|pieges|points d'attention|problemes connus|cuidado|atencion|advertencias|problemas conocidos|atencao|avisos|attenzione|problemi noti|внимание|осторожно|известные проблемы|注意|注意事项|注意点|已知问题|known traps|sharp edges|landmines",
  pattern: "always use|conventions|convention|muster|patron|patrones|padroes",
  question:
    "to discuss|for discussion|to decide|open decisions|pending decisions|decisions needed|clarifications|need input|needs input|feedback needed|a clarifier|dudas|duvidas|unklar|ungeklart|zu klaren|unclear|open points|open point|offene fragen|offene punkte|fragen|questions ouvertes|preguntas|preguntas abiertas|perguntas|perguntas em aberto|domande|domande aperte|вопросы|открытые вопросы|问题|待解决问题|未解決|質問",
  step: "immediate priorities|priorities|up next|coming up|where to pick up|pick up here|resume here|where to continue|how to continue|continue here|unfinished|unfinished work|incomplete|in progress|work in progress|wip|ongoing|tbd|to be done|deferred|postponed|later|nice to have|possible improvements|improvements|enhancements|ideas|wie weitermachen|en cours|en curso|in arbeit|em andamento|tomorrow|next time|morgen|demain|manana|amanha|domani|was noch fehlt|was als nachstes kommt|was noch zu tun ist|ce qui reste|ce qui reste a faire|taches restantes|lo que falta|tareas pendientes|o que falta|proximas etapas|cosa manca|план|что осталось|后续|剩余工作|今後の予定|next|then|suggested|suggestion|suggestions|recommended|recommendation|recommendations|nachste schritte|naechste schritte|noch offen|noch zu tun|restpunkte|bekannte restpunkte|was fehlt|offen|aufgaben|weiteres vorgehen|prochaines etapes|a faire|reste a faire|suite|proximos pasos|siguientes pasos|pendiente|pendientes|por hacer|proximos passos|a fazer|pendencias|prossimi passi|da fare|следующие шаги|что дальше|осталось|下一步|后续步骤|待办|次のステップ|残作業|todo|to do|todos|to-do|handed to you|your turn",
  blocker:
    "waiting|needs from others|needed from you|needed from others|external dependencies|blocker|bloqueantes|impedimentos|en attente|was blockiert|offene abhangigkeiten|blockiert|blockiert durch|blockaden|hindernisse|bloque par|blocages|bloque|bloqueos|bloqueado por|bloqueios|bloccato da|блокеры|заблокировано|阻塞|阻塞问题|ブロッカー|stuck|stopped by",
  done: "work performed|work done|actions taken|steps taken|this session|today|session work|what's new|what is new|new features|features added|improvements made|bug fixes|fix|solution|session accomplishments|landed|shipped|ce qui a ete fait|travail effectue|realisations|taches terminees|lo que se hizo|lo que se ha hecho|que se hizo|trabajo realizado|tareas completadas|o que foi feito|trabalho realizado|was wurde gemacht|was erledigt ist|was erledigt wurde|cosa e stato fatto|lavoro svolto|что сделано|完成内容|完成情况|対応内容|erledigt|fertig|gemacht|umgesetzt|was gemacht wurde|fait|realise|termine|hecho|completado|lo hecho|realizado|feito|concluido|fatto|completato|сделано|выполнено|готово|已完成|完成|完了|実施内容|done|completed|finished|implemented|work log|what works|what works now",
  decision:
    "rationale|reasoning|key choices|technical choices|approach taken|chosen approach|why this way|why|decisiones tomadas|decisions prises|choix|choix techniques|decisoes tomadas|принятые решения|entscheidungen|entscheidung|getroffene entscheidungen|decisiones|decisoes|decisioni|решения|决策|决定|決定事項|trade-offs|tradeoffs|choices|design choices|design rationale",
  test: "validation|checks run|verified|how tested|evidence|test coverage|what was tested|what i tested|test runs|ergebnis der tests|resultats des tests|resultados de pruebas|результаты тестов|测试结果|test|tests|testing|tested|unit tests|integration tests|end to end tests|test results|test result|test status|tests run|testing done|testing performed|manual testing|verification|verification results|validation results|quality gates|checks|qa|pruebas|testes|prove|тесты|测试|テスト|testergebnisse|getestet",
  limitation:
    "technical debt|tech debt|shortcomings|known gaps|einschrankungen|bekannte einschrankungen|limites|limitaciones|limitacoes|limitazioni|ограничения|局限|not supported|not covered",
  assumption: "assumption|assumptions|annahmen|hypotheses|supuestos|suposicoes|premissas|assunzioni|допущения|假设",
  summary:
    "summary|tl dr|tldr|in short|zusammenfassung|kurzfassung|resume|resumen|resumo|riepilogo|итог|итоги|总结|概要|要約",
  outcome:
    "status|outcome|state|result|stand|estado|statut|etat|resultado|resultat|ergebnis|stato|esito|статус|状态|ステータス",
};

const TOPIC_OF: ReadonlyMap<string, Topic> = new Map(
  Object.entries(TITLES).flatMap(([topic, titles]) =>
    titles.split("|").map((title) => [title, topic as Topic] as const),
  ),
);

/** Titles by their words, in the order in which they are tried. */
const TITLE_WORDS: readonly (readonly [RegExp, Topic])[] = [
  [
    /\bquestions?\b|^un(?:clear|knowns?)\b|^needs? (?:an? |your )?(?:answer|decision|input|feedback|clarification)|^decisions? (?:needed|pending|required)|^to (?:be )?clarif|^undecided/,
    "question",
  ],
  [/^(?:issues?|bugs?|problems?) (?:fixed|resolved|solved|closed)|^(?:fixes|fixed|resolved)\b/, "done"],
  [/\bblockers?\b|^(?:currently )?(?:blocked|blocking)\b|^waiting (?:on|for)\b|^impediments?/, "blocker"],
  [
    /\bgotchas?\b|\bpitfalls?\b|\bcaveats?\b|\bwatch[ -]?outs?\b|\bwatch for\b|^be careful|^careful\b|^beware|^warnings?$|^heads[ -]?up|^traps?\b|^risks?\b|^(?:lessons?|learn(?:ed|t|ings?)|discover(?:y|ies)|insights?)\b|^keep in mind|^(?:known|open|current|unresolved) (?:issues?|problems?|bugs?)|^(?:issues?|problems?)(?: (?:found|encountered|seen))?$|^(?:things|what|stuff) (?:to|you (?:should|need to|must)|worth) (?:know|knowing|watch|note|remember|be aware)|^good to know|^surprises?$|^important(?: notes?| to know)?$/,
    "gotcha",
  ],
  [/^(?:known )?limitations?\b|^known gaps|\blimitations$/, "limitation"],
  [
    /^not (?:yet )?(?:done|finished|started|completed?|implemented)\b|\bnext$|\bnext (?:steps?|actions?|tasks?|session|up|agent should)\b|^next\b|^what(?:'s| is| comes| remains)? (?:next|left|remains|missing)\b|\bto[ -]?dos?\b|^remaining\b|^(?:what(?:'s| is) )?(?:left|still) (?:to do|open|missing|todo)|^still\b|\bfollow[ -]?ups?\b|^future (?:work|improvements?|enhancements?)|^outstanding\b|^pending\b|^open (?:items?|tasks?|work|ends|todos?)|^backlog$|^action items?|^(?:recommended|suggested) (?:actions?|follow)/,
    "step",
  ],
  [/\bdecisions?\b|^decided\b|^why (?:i|we|it|this|these)\b/, "decision"],
  [/\bpatterns?\b/, "pattern"],
  [/^assumptions?\b/, "assumption"],
  [
    /^(?:unit|integration|e2e|end[ -]to[ -]end|manual|automated|regression|smoke)? ?test(?:s|ing)?(?: (?:results?|status|summary|report|performed|done|run))?$|\btest results\b|^how (?:it|this|i|we) (?:was |were |have )?(?:tested|verified)/,
    "test",
  ],
  [
    /^what(?:'s| is) (?:been )?(?:done|finished|complete|working|in place|ready)\b|^what (?:i|we|was|were|has|have|got|you)\b.*\b(?:did|do|done|completed?|implemented|built|finished|accomplished|shipped|delivered|fixed|works?)\b|^(?:work|tasks|items?|features?|things)? ?(?:i |we )?(?:already )?(?:done|completed|complete$|finished|implemented|accomplished|delivered|shipped)\b(?! (?:at|on|by|date|time)\b)|^accomplish|^achievements?$|^progress\b|\bimplemented$/,
    "done",
  ],
  [/^(?:session |work |executive |brief |quick )?summary\b/, "summary"],
  [/^(?:task|final|overall|current) (?:status|outcome|state|result)$/, "outcome"],
];

/** The topics that a title names, each part of it for itself: "Open questions / next steps". */
export function titleTopics(folded: string): Topic[] {
  const topics = new Set<Topic>();
  for (const part of folded.split(/\s*(?:[/&,+]|\band\b|\bor\b|\bund\b|\bet\b)\s*/)) {
    const topic = titleTopic(
      part.replace(/^(?:for )?(?:(?:the|my|our|some|other|key|important|die|les|los|las) )?/, ""),
    );
    if (topic !== undefined) topics.add(topic);
  }
  return [...topics];
}

function titleTopic(part: string): Topic | undefined {
  return TOPIC_OF.get(part) ?? TITLE_WORDS.find(([words]) => words.test(part))?.[1];
}

const MAX_TITLE = 80;

/** What a heading or label announces; null when it announces nothing that a handoff has a place for. */
export function contextOf(title: string): Context | null {
  if (title.length > MAX_TITLE) return null;
  const folded = foldedTitle(plainTitle(title));
  const files = filesContext(folded);
  if (files !== null) return files;
  const topics = titleTopics(folded);
  return topics.length > 0 ? { topics, change: null } : null;
}

/** Titles such as "Files created", "New files", "Deleted", "What changed". Plans announce nothing that was done. */
function filesContext(folded: string): Context | null {
  const words = folded.split(/[^\p{L}']+/u).filter((word) => word !== "");
  if (words.length === 0 || words.some((word) => NOT_YET.has(word))) return null;
  const change = changeAnnounced(words);
  if (words.some((word) => FILE_NOUN.test(word)) || /文件|ファイル/.test(folded)) {
    // "File upload" is about something else.
    const others = words.filter((word) => !FILE_NOUN.test(word) && !isChangeWord(word) && !FILE_FILLERS.has(word));
    return others.length > (change === null ? 0 : 1) ? null : { topics: ["files"], change };
  }
  const onlyChanges = words.every((word) => word === "and" || isChangeWord(word));
  return onlyChanges || GENERAL.test(folded) ? { topics: ["files", "done"], change: change ?? "changed" } : null;
}

const GENERAL =
  /^(?:what (?:i |we |has |was )?|all |key |main |code |summary of |list of )?(?:changed?|changes|touched)\b/;

/** "Files changed" is how people head a list of everything they touched, new files too. */
function changeAnnounced(words: readonly string[]): Change | null {
  const changes = new Set(words.flatMap((word) => TITLE_CHANGES.find(([named]) => named.test(word))?.[1] ?? []));
  const [first] = changes;
  return changes.size > 1 ? "changed" : (first ?? null);
}

/** The level that a title names: "High priority", "Priority: low". */
export function levelNamed(title: string): string | undefined {
  const plain = plainTitle(title);
  return /^(?:priority )?(high|medium|low)(?: (?:priority|severity|impact))?$/.exec(plain)?.[1];
}

const NOT_YET = new Set(
  "to not planned expected needed required requested proposed pending remaining should breaking future suggested related relevant reference".split(
    " ",
  ),
);

const FILE_FILLERS = new Set(
  "the a all key main source code list of in this these session so far i we have and or backend frontend was were here today".split(
    " ",
  ),
);

function isChangeWord(word: string): boolean {
  return TITLE_CHANGES.some(([named]) => named.test(word));
}

/** The change that one word of a table or a remark states, in any of the languages. */
export function changeNamed(word: string): Change | undefined {
  return CHANGE_WORDS.get(word) ?? TITLE_CHANGES.find(([named]) => named.test(foldedTitle(word)))?.[1];
}

/**
 * Sections that do not say what was done now. `asked`: what was asked for, where a tick says that it was done;
 * `plan`: what was meant to be done, where an empty box is still to do; `other`: earlier work, instructions, hopes.
 */
export type Background = "asked" | "plan" | "other";

const BACKGROUND: readonly (readonly [RegExp, Background])[] = [
  [
    /^(?:acceptance|success|completion|exit) criteria|^definition of done|^done (?:when|criteria)|^requirements?$|^acceptance\b/,
    "asked",
  ],
  [
    /^(?:metadata|objectives?|assignment|inputs?|scope|instructions?|context|context provided|goals?|task|task description|problem|problem statement|background|motivation|ziel|auftrag|hintergrund|objectif|objetivo)$/,
    "asked",
  ],
  [
    /^(?:the |our |original |initial |implementation |work )?plan(?:ned)?\b|^proposed\b|^proposal\b|^roadmap$|^approach$/,
    "plan",
  ],
  [
    /\b(?:not|out) (?:in|of) scope\b|^(?:deliberately|intentionally) not\b|^not (?:planned|doing|now)\b|^ignored?\b|^non[ -]goals?/,
    "other",
  ],
  [
    /^expected\b|^how to\b(?! continue)|^how it works|^usage\b|^setup\b|^commands?$|^examples?\b|\breferences?\b|^related\b|^links?$/,
    "other",
  ],
  [
    /\b(?:previous|earlier|prior|last|yesterday's|old) (?:session|handoff|handover|notes?|agent|work|attempt|run|report|status)s?\b|^previously\b|^history\b|^archived?\b|^changelog$|^vorherige|^precedent/,
    "other",
  ],
  [
    /\btest (?:plan|cases?|steps?|scenarios?|instructions?|commands?|categories|data|strategy)\b|\bsteps to (?:test|reproduce|verify|check)\b|^reproduction\b|^to reproduce|^tried\b|^what (?:i|we) tried|^(?:failed )?attempts?$/,
    "other",
  ],
];

/** What kind of background a section is, or null when it tells of the work. */
export function backgroundOf(title: string): Background | null {
  const folded = foldedTitle(plainTitle(title));
  return BACKGROUND.find(([words]) => words.test(folded))?.[1] ?? null;
}

export function isHandoffTitle(title: string): boolean {
  return /^handoff(?: notes?)?:?$/i.test(title);
}
