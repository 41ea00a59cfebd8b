/** D9.6: the first 4 KiB of an answer, as a text that can be stored. */
import { assert, describe, it } from "@effect/vitest"
import { responseText } from "../../src/outbound/OutboundHttp.ts"

const textOf = (body: string | Uint8Array) =>
  responseText({ body: typeof body === "string" ? Buffer.from(body) : body })

describe("the text of an answer", () => {
  it("is the body", () => {
    assert.strictEqual(textOf("{\"ok\":true}"), "{\"ok\":true}")
    assert.strictEqual(textOf(""), "")
    assert.strictEqual(textOf("größer 📦"), "größer 📦")
  })

  it("ends after 4,096 bytes", () => {
    assert.strictEqual(textOf("x".repeat(4096)), "x".repeat(4096))
    assert.strictEqual(textOf("x".repeat(4097)), "x".repeat(4096))
    assert.strictEqual(textOf("x".repeat(65_536)), "x".repeat(4096))
    const answer = { body: Buffer.from(`${"x".repeat(4090)}s3cret-token`) }
    assert.strictEqual(responseText(answer, ["s3cret-token"]), `${"x".repeat(4090)}***`)
  })

  it("ends before a character that the cut would split", () => {
    for (const character of ["ö", "→", "📦"]) {
      for (let before = 4090; before <= 4096; before++) {
        const text = textOf(`${"x".repeat(before)}${character.repeat(5)}`)
        assert.match(text, new RegExp(`^x{${before}}${character}*$`, "u"))
      }
    }
  })

  it("holds neither NUL nor half a character, whatever the bytes", () => {
    assert.strictEqual(textOf("a\0b"), "a\ufffdb")
    const bytes = Uint8Array.from({ length: 5_000 }, (_, at) => (at * 37) % 256)
    const text = textOf(bytes)
    assert.isTrue(text.isWellFormed())
    assert.notInclude(text, "\0")
    assert.isAtMost(text.length, 4096)
  })
})
