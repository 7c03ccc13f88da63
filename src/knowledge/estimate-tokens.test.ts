import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8").slice(0, 8_000);

const TEXTS: Readonly<Record<string, string>> = {
  prose: read("docs/guide/4-workflows.md"),
  "a page with tables": read("ARCHITECTURE.md"),
  "a page with commands": read("README.md"),
  TypeScript: read("src/workflow/decide.ts"),
  "TypeScript with expressions": read("src/shared/printable.ts"),
  JSON: read("package.json"),
  "JSON with hashes": read("package-lock.json"),
  YAML: read("action.yml"),
  packet: [
    "# Context",
    "## Patterns",
    "- Verify tokens with verifyJwt before the handler runs [pattern-001, auth, 3 witnesses]",
    "- Use integers for money; rounding happens once, in src/cart/total.ts:12-40 [pattern-002]",
    "## Gotchas",
    "- The cache is not cleared after login (high): call clearCart() [gotcha-003, src/session.ts:88]",
    "- Retries of the payment are sent with the same key [gotcha-004, run-20, BackendBuilder]",
  ].join("\n"),
  "ids and times":
    "commit 8f14e45fceea167a5a36dedd4bea2543a1b2c3d4, run 3f2504e0-4f89-41d3-9a0c-0305e82c3301, 2026-11-18T09:36:07Z, 99.95 %, v1.2.3",
  Chinese:
    "交接文件由一个代理写给下一个代理。它说明做了什么、改了哪些文件、哪些测试通过,以及还剩下哪些问题。如果没有人检查,“完成”也不一定是真的。购物车在结账时重复计算折扣,原因是缓存没有在登录后清空。修复之后,所有单元测试都通过了。",
  "traditional Chinese":
    "交接文件說明改了哪些檔案以及哪些測試通過。如果沒有人檢查,「完成」就不一定是真的。購物車在結帳時重複計算折扣,原因是快取沒有在登入後清除。",
  Japanese:
    "引き継ぎ書は、あるエージェントが次のエージェントに渡す文書です。何を変更したか、どのテストが成功したか、そして残っている問題を説明します。カートの割引計算は、ログイン後にキャッシュが消去されないため二重に適用されていました。",
  Korean:
    "인계 문서는 한 에이전트가 다음 에이전트에게 전달하는 문서입니다. 무엇을 변경했는지, 어떤 테스트가 통과했는지 설명합니다.",
  German:
    "Die Übergabe beschreibt, welche Dateien geändert wurden und welche Prüfungen bestanden haben. Wenn niemand nachsieht, stimmen die Felder nach einiger Zeit nicht mehr überein. Die Warenkorbberechnung verwendet jetzt Ganzzahlen, damit Rundungsfehler ausgeschlossen sind.",
  French:
    "La passation décrit quels fichiers ont été modifiés et quels tests ont réussi. Si personne ne vérifie, les champs dérivent et « terminé » n'est plus forcément vrai. Le panier calcule désormais la remise une seule fois.",
  Russian:
    "Передача описывает, какие файлы изменены и какие тесты прошли. Если никто не проверяет, слово «готово» не обязательно правда. Корзина теперь считает скидку только один раз.",
  emoji:
    "✅ Tests pass 🎉 but ⚠️ coverage is low 😕. 🚀 Deploy blocked 🛑 until review. 📦 cart 🛒 fixed 🔧 → next step",
};

describe("estimated tokens", () => {
  it.each(Object.entries(TEXTS))("are close to what real tokenizers count: %s", (_name, text) => {
    const counted = Math.max(encodeCl100k(text).length, encodeO200k(text).length);
    const share = estimateTokens(text) / counted;
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(share).toBeLessThanOrEqual(1.25);
  });

  it("are none for no text, and at least one for any other", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("a")).toBeGreaterThan(0);
    expect(estimateTokens("\u0000")).toBeGreaterThan(0);
  });
});
