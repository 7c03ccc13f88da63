/**
 * How many tokens a text has, without any client's tokenizer. Texts are cut into pieces as tokenizers do it, and each
 * piece costs what it costs on average in the larger of two real ones (`estimate-tokens.test.ts` compares).
 */
export function estimateTokens(text: string): number {
  const isForeign = (text.match(/[\u00c0-\u024f]/g)?.length ?? 0) * FEW_ACCENTS > text.length;
  let sum = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE))
    // A space belongs to the word behind it, and to no number.
    sum += piece === " " ? Number(/\d/.test(text.charAt(index + 1))) : costOf(piece, isForeign);
  return Math.ceil(sum);
}

/** A text with more accents than one in so many letters is not English: its words are made of more tokens. */
const FEW_ACCENTS = 200;

const PIECE =
  /[A-Za-z]+(?!\p{sc=Latin})|\p{sc=Latin}+|\p{N}+|[ \t]*[\r\n]+[ \t]*|[ \t]{2,}| |[!-/:-@[-`{-~]+|\p{sc=Han}+|[\p{sc=Hiragana}\p{sc=Katakana}ー]+|\p{sc=Hangul}+|[\p{sc=Cyrillic}\p{sc=Greek}]+|[\p{sc=Arabic}\p{sc=Hebrew}]+|[\p{L}\p{M}]+|\p{Emoji_Presentation}|./gsu;

/** The first that fits a piece gives its cost, by its length. */
const COSTS: readonly (readonly [RegExp, (length: number) => number])[] = [
  [/^\d/, (length) => Math.ceil(length / 3)],
  [/[\r\n][ \t]+$/, () => 1.15],
  [/^[ \t]*[\r\n]/, () => 0.82],
  [/^[ \t]/, () => 1.03],
  [/^[!-/:-@[-`{-~]$/, () => 0.91],
  [/^[!-/:-@[-`{-~]/, (length) => Math.max(1.03, length * 0.52)],
  [/^\p{sc=Latin}/u, (length) => Math.max(1.4, length / 2.15)],
  [/^[\p{sc=Hiragana}\p{sc=Katakana}ー]/u, (length) => length * 0.95],
  [/^\p{sc=Hangul}/u, (length) => length * 1.22],
  [/^[\p{sc=Cyrillic}\p{sc=Greek}]/u, (length) => Math.max(1.03, length / 2.2)],
  [/^[\p{sc=Arabic}\p{sc=Hebrew}]/u, (length) => length * 0.95],
  [/^[\p{L}\p{M}]/u, (length) => length * 1.32],
  [/^\p{Emoji_Presentation}/u, () => 2.6],
];
/** Chinese and Japanese characters that are one token; the others are two or three. */
const COMMON_HAN = new Set(
  "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但位体何余作" +
    "你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化北区十午华单南即历原" +
    "去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图土在地场址型城基報場填增声处备" +
    "复外多大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山岁州工左已市布常平年并广序库应店度建开异" +
    "式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手打找技投报拉持指按换据排接推提播支收改放政效数整文" +
    "料断新方族无日时明易星是時景更最月有服期木未本机权束条来板构析果查标样核格案检模次款止正此步歳段每比民気水求江" +
    "汽没治法注活流海消清游源火点無然片版物特率环现球理生用由电男画界番登的监目直相省看県真知码确示社票私种科秒称移" +
    "程稍税稿空立站章端笑符第等签简算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要見见" +
    "规视角解言計記話読计认议记论设证评试话询该详语误说请读调象责败账货购费资起超路身车转软载辑输达过运近还这进连述" +
    "退送选通速造連道邮部都配释里重量金钟钮链销错键长開間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑",
);

/** Arrows, dashes, other signs. */
const SIGN = 1.4;

function costOf(piece: string, isForeign: boolean): number {
  if (/^[A-Za-z]+$/.test(piece)) {
    const words = piece.split(/(?<=[a-z])(?=[A-Z])/);
    return words.reduce((sum, word) => sum + (isForeign ? costOfForeign(word) : costOfWord(word)), 0);
  }
  if (/^\p{sc=Han}/u.test(piece)) return [...piece].reduce((sum, sign) => sum + (COMMON_HAN.has(sign) ? 1 : 2.05), 0);
  const cost = COSTS.find(([form]) => form.test(piece))?.[1];
  return cost?.(piece.length) ?? SIGN;
}

function costOfForeign({ length }: string): number {
  return length <= 4 ? 1.1 : length / 3.6;
}

/** Longer words, capitals and random letters are made of several tokens. */
function costOfWord(word: string): number {
  const { length } = word;
  if (/^[A-Z]{3,}$/.test(word)) return length / 2.5;
  if (length <= 8 && /[A-Z]{2}[a-z]/.test(word)) return length / 2.1;
  if (length <= 6) return 1.06;
  if (length <= 8) return 1.37;
  return length <= 11 ? 1.62 : length / 4;
}
