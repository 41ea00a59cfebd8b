/** The form of an answer, whichever interface gives it. */
import { assert, describe, it } from "@effect/vitest"
import { acceptsCoding, graphqlResultType, graphqlType, isNamed, restType, typeOf } from "../src/MediaType.ts"
import type { RestType } from "../src/MediaType.ts"

describe("D2.8 Accept", () => {
  const table: ReadonlyArray<[string | undefined, RestType]> = [
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["application/json", "application/json"],
    ["application/xml", "application/xml"],
    ["APPLICATION/XML", "application/xml"],
    ["text/xml", "text/xml"],
    ["text/*", "text/xml"],
    ["application/xml, text/xml", "application/xml"],
    ["application/xml;q=0.5, text/xml", "text/xml"],
    ["application/xml, application/json", "application/json"],
    ["application/xml;q=0.9, application/json;q=0.8", "application/xml"],
    ["application/xml;q=0.8, application/json;q=0.9", "application/json"],
    ["application/xml, */*;q=0.8", "application/xml"],
    ["application/xml, */*", "application/xml"],
    ["application/json, text/plain, */*", "application/json"],
    ["text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", "application/xml"],
    ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "application/json"],
    ["application/json;q=0, */*", "application/xml"],
    ["application/xml;q=0, */*;q=0.1", "application/json"],
    ["application/xml;q=0", "application/json"],
    ["application/json;q=0", "application/json"],
    ["*/*;q=0", "application/json"],
    ["image/png", "application/json"],
    ["application/xml;charset=utf-8", "application/xml"],
    ["application/xml;v=\"a,b;q=0\";q=0.7, application/json;q=0.6", "application/xml"],
    ["application/xml;q=high, application/json;q=0.1", "application/json"],
    ["application/xml;q=2, application/json;q=0.1", "application/json"],
    ["application/xml;q=-1, application/json;q=0.1", "application/json"],
    [",, application/xml ,", "application/xml"],
    ["application/xml \"", "application/json"],
    ["application/xml;charset=iso-8859-1", "application/json"],
    ["application/xml;CHARSET=\"UTF-8\"", "application/xml"]
  ]
  for (const [header, expected] of table) {
    it(`${header} is ${expected}`, () => {
      assert.strictEqual(restType(header), expected)
    })
  }
})

const json = "application/json"
const graphqlJson = "application/graphql-response+json"
const events = "text/event-stream"
const html = "text/html"

/** What is accepted; the form of an answer of GraphQL; the form of one that is given in any case. */
const graphql: ReadonlyArray<readonly [string | undefined, string | undefined, string]> = [
  [undefined, json, json],
  ["", json, json],
  ["*/*", json, json],
  ["application/*", json, json],
  [graphqlJson, graphqlJson, graphqlJson],
  [`${graphqlJson}, ${json}`, graphqlJson, graphqlJson],
  [`${json}, ${graphqlJson}`, json, json],
  [`${graphqlJson};q=0, ${json}`, json, json],
  [`${graphqlJson};q=0.1, ${json};q=0.2`, json, json],
  [`${graphqlJson}, */*`, graphqlJson, graphqlJson],
  [`*/*, ${graphqlJson}`, graphqlJson, graphqlJson],
  [`${graphqlJson}; charset=utf-8, ${json}; charset=utf-8`, graphqlJson, graphqlJson],
  [`${json};q=0`, undefined, json],
  [`${json};q=0, */*`, graphqlJson, graphqlJson],
  ["*/*;q=0", undefined, json],
  [`${json};charset=latin1`, undefined, json],
  [`${json};charset=utf8`, json, json],
  ["application/problem+json", undefined, json],
  ["garbage", undefined, json],
  [events, events, json],
  [`${events}, ${json}`, events, json],
  [`${json}, ${events}`, json, json],
  [`${events};q=0.5, ${json}`, json, json],
  [`${graphqlJson}, ${json}, ${events}, multipart/mixed`, graphqlJson, graphqlJson],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html, json],
  [`${json}, text/html;q=0.9`, json, json]
]

describe("D8.8 Accept of GraphQL", () => {
  it.each(graphql)("%s is %s", (accept, type, resultType) => {
    assert.deepStrictEqual([graphqlType(accept), graphqlResultType(accept)], [type, resultType])
  })

  it("a type is named by itself, with a quality above 0", () => {
    const headers = [events, `${json}, ${events};q=0.1`, events.toUpperCase()]
    const others = [undefined, "", "*/*", "text/*", `${events};q=0`, "text/event-stream-2"]
    assert.deepStrictEqual(headers.filter((accept) => !isNamed(accept, events)), [])
    assert.deepStrictEqual(others.filter((accept) => isNamed(accept, events)), [])
  })
})

describe("D4.6 one of the media types that are offered", () => {
  it("is the first unless the client prefers another", () => {
    const of = (accept: string | undefined) => typeOf(accept, ["a/b", "c/d"])
    assert.deepStrictEqual([undefined, "x/y", "*/*", "c/d, */*;q=0.5"].map(of), ["a/b", "a/b", "a/b", "c/d"])
  })
})

describe("Accept-Encoding", () => {
  it("takes a coding by its name, with a quality above 0", () => {
    const headers = ["gzip", "br, gzip", "GZIP;q=0.5", "identity;q=0.5, gzip;q=1.0"]
    const others = [undefined, "", "*", "br", "gzip;q=0", "gzip;q=0.000", "xgzip"]
    assert.deepStrictEqual(headers.filter((header) => !acceptsCoding(header, "gzip")), [])
    assert.deepStrictEqual(others.filter((header) => acceptsCoding(header, "gzip")), [])
  })
})
