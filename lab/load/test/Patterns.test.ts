/**
 * No regular expression of ours takes more than a moment over a hostile text: each expression of the packages gets long repetitions of
 * the characters that it looks for, after every possible beginning and with an end that does not match. A quadratic or worse expression
 * takes seconds.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { literalsIn } from "./RegularExpressions.ts"
import type { Written } from "./RegularExpressions.ts"

const root = new URL("../../../", import.meta.url)

/** The sources of the packages, without tests and labs. */
const files = globSync("packages/*/src/**/*.ts", { cwd: root })
  .filter((path) => !path.startsWith("packages/cli/") && !path.startsWith("packages/testing/"))

/** Expressions over texts of the operator only, such as settings, each with the reason. */
const trusted: ReadonlyMap<string, string> = new Map([
  ["\\n(?:\\/\\/|\\/\\*)# sourceMappingURL=.*\\s*$", "files of packages, read once"],
  ["@font-face\\s*\\{[^}]*\\}\\s*", "files of packages, read once"],
  ["^SchemaError\\((.*?)\\s+at \\[\"(\\w+)\"\\]\\)$", "faults of settings"],
  ["(<[^>]+>)", "our own examples"],
  ["(#\\/components\\/schemas\\/\\w+?)_\\d+\"", "our own OpenAPI document"]
])

const written = new Map<string, { readonly expression: Written; readonly path: string }>()
for (const path of files) {
  for (const expression of literalsIn(readFileSync(new URL(path, root), "utf8").replace(/^#!.*/, ""))) {
    written.set(`/${expression.source}/${expression.flags}`, { expression, path })
  }
}

/** Growing lengths, so that a short text finds an expression that is worse than quadratic within a reasonable time. */
const lengths = [16, 20, 24, 27, 100, 500, 2000, 5000, 15_000, 60_000]

/** The repeated parts of texts: a character of each kind that expressions distinguish, and pairs. */
const pumps = [
  ..." \t\r\nazAZ09/_-.,:;=+*?#%&<>()[]{}\"'\\|~^$!@`\0\u0085\u2028éＡ",
  "a ",
  " a",
  "a-",
  "a.",
  "a/",
  "a,",
  "a;",
  "a=",
  "=a;",
  "\\\"",
  "\\a",
  "0.",
  ".0",
  "1e",
  "%20",
  "://",
  "\r\n",
  "<a",
  "a>",
  "; ",
  ", "
]

/** The beginnings of texts that an expression may look for. */
const beginningsOf = ({ source }: Written): ReadonlyArray<string> => {
  const [plain = ""] = /^\^?((?:[A-Za-z0-9_ :]|\\[/.-])*)/.exec(source)?.slice(1) ?? []
  return ["", plain.replaceAll("\\", ""), "a", "a=\"", "https://a"]
}

/** Far above the time of a linear expression on a busy machine, far below that of a quadratic one. */
const bound = 150

/** A hostile text for which the expression exceeds the bound, if there is one, and its time. */
const slowText = (expression: Written): readonly [text: string, millis: number] | undefined => {
  const pattern = new RegExp(expression.source, expression.flags)
  for (const beginning of new Set(beginningsOf(expression))) {
    for (const pump of pumps) {
      for (const length of lengths) {
        const text = `${beginning}${pump.repeat(length / pump.length)}\0`
        const began = performance.now()
        text.replace(pattern, "")
        const took = performance.now() - began
        if (took > bound) {
          return [`${JSON.stringify(beginning)}, then ${JSON.stringify(pump)} × ${length}`, took]
        }
      }
    }
  }
  return undefined
}

describe("regular expressions", () => {
  it("are found in the sources, as they are written there", () => {
    assert.isAbove(written.size, 40)
    const text =
      "const a = b / c / d; x(/a[/]\\/b/gi, `${/c/.test(`/no/`)}/no/`, \"/no/\") // /no/\nreturn /d/"
    assert.deepStrictEqual(literalsIn(text).map(({ source, flags }) => `${source}:${flags}`), [
      "a[/]\\/b:gi",
      "c:",
      "d:"
    ])
  })

  it("that are said to read only trusted texts are there", () => {
    const sources = new Set(Array.from(written.values(), ({ expression }) => expression.source))
    assert.deepStrictEqual([...trusted.keys()].filter((source) => !sources.has(source)), [])
  })

  for (const [name, { expression, path }] of written) {
    if (trusted.has(expression.source)) continue
    // @threat requests.15
    it(`takes a moment over hostile texts: ${name} in ${path}`, () => {
      // Both runs must be slow, because the machine may pause during one of them.
      const slow = slowText(expression) && slowText(expression)
      assert.isUndefined(slow)
    })
  }

  it("one that is exponential is found, and not waited for", () => {
    for (const source of ["^(?:a|a)+$", "(a+)+$", "^(?:a|a|a)+$", "^(?:\\w+\\s?)*$"]) {
      const began = performance.now()
      assert.isDefined(slowText({ source, flags: "" }), source)
      assert.isBelow(performance.now() - began, 20_000, source)
    }
  })

  // @threat requests.15
  it("one that is quadratic is found", () => {
    for (const source of ["\\s+$", "=+$", "^(.*?)\\s+at x$", "a.*b.*c"]) {
      assert.isDefined(slowText({ source, flags: "s" }), source)
    }
  })
})
