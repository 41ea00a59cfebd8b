/**
 * Document files in JSON, read without the HTTP adapter.
 */
import { Effect, Layer, Result } from "effect"
import { assert, describe, it } from "vitest"
import { errorOf } from "../../src/document/DocumentInput.ts"
import { DocumentReader } from "../../src/document/DocumentReader.ts"
import { append, defaultStrategies, Strategies } from "../../src/document/Strategy.ts"

const read = (
  text: string | Uint8Array,
  contentType: string | undefined = "application/json",
  itemLimit?: number
) =>
  Effect.runSync(
    DocumentReader.use(({ read }) =>
      Effect.result(read(typeof text === "string" ? new TextEncoder().encode(text) : text, contentType))
    ).pipe(
      Effect.provide(DocumentReader.layerJson(itemLimit)),
      Effect.provide(Layer.succeed(Strategies, { ...defaultStrategies, ADD: append }))
    )
  )

const order = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O-1" }

const refusal = (result: ReturnType<typeof read>) => {
  assert(Result.isFailure(result))
  return errorOf(result.failure)
}

describe("document files in JSON", () => {
  it.each(["application/json", "Application/JSON; charset=utf-8"])("are documents, as %s", (contentType) => {
    const result = read(JSON.stringify({ ...order, orderItemUpdateStrategy: "ADD" }), contentType)
    assert(Result.isSuccess(result))
    assert.deepStrictEqual(result.success.orders.map(({ strategy }) => strategy), ["ADD"])
  })

  it.each(["application/xml", "text/plain", ""])("are nothing else, such as %s", (contentType) => {
    assert.strictEqual(refusal(read(JSON.stringify(order), contentType)).code, "UNSUPPORTED_MEDIA_TYPE")
  })

  it("are refused where they are no JSON, or not in UTF-8", () => {
    for (
      const [bytes, detail] of [
        ["", "line 1, column 1: expected a value, found the end of the body"],
        [
          new Uint8Array([0x22, 0xff, 0x22]),
          "line 1, column 2: the body is not valid UTF-8: the byte 0xFF is out of place"
        ]
      ] as const
    ) {
      const error = refusal(read(bytes))
      assert(error._tag === "MalformedDocument")
      assert.deepStrictEqual(error.errors, [{ path: "", detail }])
    }
  })

  it("are refused where they are no document, or one of too many items", () => {
    assert.strictEqual(refusal(read("[]")).code, "MALFORMED_DOCUMENT")
    const items = [{}, {}]
    assert.strictEqual(
      refusal(read(JSON.stringify({ ...order, items }), undefined, 1)).code,
      "TOO_MANY_ITEMS"
    )
  })
})
