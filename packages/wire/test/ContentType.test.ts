import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { documentTypes, mediaTypeReader, textTypeReader } from "../src/MediaType.ts"

const parse = mediaTypeReader(...documentTypes)

const xml = (charset?: string) => ({ format: "xml", charset })
const json = { format: "json", charset: undefined }

describe("D2.5, D2.6 the content type of a document", () => {
  const cases: ReadonlyArray<[string, unknown]> = [
    ["application/json", json],
    ["APPLICATION/Json", json],
    ["  application/json  ", json],
    ["application/json;charset=utf-8", json],
    ["application/json; charset=UTF8", json],
    ["application/json ; Charset = \"UTF-8\"", json],
    ["application/json; charset=\"utf\\-8\"", json],
    ["application/json; profile=\"a,b;charset=latin1\"; charset=utf-8", json],
    ["application/json;", json],
    ["application/json;;charset=utf-8;", json],
    ["application/json; charset=utf-8; charset=UTF-8", json],
    ["application/xml", xml()],
    ["text/xml", xml()],
    ["text/xml; charset=utf-8", xml("utf-8")],
    ["application/xml; charset=UTF-16", xml("utf-16")],
    ["application/xml; charset=utf-16le", xml("utf-16le")],
    ["application/xml; charset=utf-16BE", xml("utf-16be")],
    ["text/xml; charset=iso-8859-1", xml("iso-8859-1")],
    ["text/xml; charset=\"ISO-8859-1\"", xml("iso-8859-1")],
    ["text/xml; charset=latin1", xml("iso-8859-1")],
    ["text/xml; charset=us-ascii", xml("utf-8")],
    ["application/json; charset=us-ascii", json]
  ]
  for (const [header, expected] of cases) {
    it(`accepts ${header}`, () => {
      const result = parse(header)
      assert.isTrue(Result.isSuccess(result), JSON.stringify(result))
      if (Result.isSuccess(result)) assert.deepStrictEqual<unknown>(result.success, expected)
    })
  }

  const otherCases: ReadonlyArray<[string | undefined, string]> = [
    [undefined, "is missing"],
    ["", "is missing"],
    ["  ", "is missing"],
    ["text/plain", "\"text/plain\" is not supported"],
    ["application/x-www-form-urlencoded", "is not supported"],
    ["application/problem+json", "is not supported"],
    ["*/*", "is not supported"],
    ["application", "is not supported"],
    ["application/json, application/xml", "is not a media type"],
    ["application/json; charset", "charset \"\" is not supported"],
    ["application/json; charset=utf-8 x", "is not a media type"],
    ["application/json=x", "is not a media type"],
    ["application/json; charset=\"utf-8", "is not a media type"],
    ["application/json; charset=iso-8859-1", "\"iso-8859-1\" is not supported"],
    ["application/json; charset=utf-16", "\"utf-16\" is not supported"],
    ["application/json; charset=utf-8; charset=utf-16", "more than one charset"],
    ["text/xml; charset=windows-1252", "\"windows-1252\" is not supported; send UTF-8, UTF-16 or ISO-8859-1"],
    ["text/xml; charset=toString", "is not supported"]
  ]
  for (const [header, detail] of otherCases) {
    it(`refuses ${header}`, () => {
      const result = parse(header)
      assert.isTrue(Result.isFailure(result), JSON.stringify(result))
      if (Result.isFailure(result)) assert.include(result.failure.message, detail)
    })
  }

  it("never throws, and echoes a bounded part", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 400 }), (header) => {
      const result = parse(header)
      if (Result.isFailure(result)) assert.isBelow(result.failure.message.length, 900)
    }))
  })
})

describe("the content type of text", () => {
  const read = textTypeReader("application/edi-x12")

  it("has the charset that the sender chooses, and no other media type", () => {
    const results = ["application/edi-x12", "Application/EDI-X12; charset=latin1"].map((type) =>
      read({ "content-type": type })
    )
    assert.deepStrictEqual(results.map(Result.getOrThrow), [
      { format: "text", charset: undefined },
      { format: "text", charset: "iso-8859-1" }
    ])
    for (const type of ["application/json", "application/edi-x12; charset=koi8-r"]) {
      assert.isTrue(Result.isFailure(read({ "content-type": type })), type)
    }
  })
})
