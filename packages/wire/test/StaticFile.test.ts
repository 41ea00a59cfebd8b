/** Files for browsers: how they are kept, found again and answered. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gunzipSync } from "node:zlib"
import * as StaticFile from "../src/StaticFile.ts"

const policy = "default-src 'none'"

const ask = (file: Promise<StaticFile.StaticFile>, url = "/a.js", headers: Record<string, string> = {}) =>
  Effect.runPromise(StaticFile.answer(file, { url, headers }, policy))

describe("a file for browsers", () => {
  it("is made once, and again after it could not be made", async () => {
    let makings = 0
    const fileOf = StaticFile.keeper({
      "a.js": () => {
        makings++
        if (makings === 1) throw new Error("not now")
        return "text"
      }
    })
    const missing = await ask(fileOf("a.js"))
    assert.strictEqual(missing.status, 404)
    assert.strictEqual(missing.headers["content-type"], "application/problem+json")
    assert.match(new TextDecoder().decode(missing.body), /are not installed.*development dependencies/)
    await Promise.all([fileOf("a.js"), fileOf("a.js")])
    assert.strictEqual(makings, 2)
  })

  it("D12.9 is kept for ever at the address of its version, and asked for again at any other", async () => {
    const fileOf = StaticFile.keeper({ "a.js": () => "one", "b.css": () => "two" })
    const addresses = await StaticFile.addressesOf(["a.js", "b.css"], fileOf)
    assert.match(addresses["a.js"], /^a\.js\?v=[\w-]{16}$/)
    const answer = await ask(fileOf("a.js"), `/${addresses["a.js"]}`)
    assert.strictEqual(answer.headers["cache-control"], "public, max-age=31536000, immutable")
    for (const url of ["/a.js", "/a.js?v=", addresses["b.css"], `/${addresses["a.js"]}x`]) {
      assert.strictEqual((await ask(fileOf("a.js"), url)).headers["cache-control"], "no-cache", url)
    }
  })

  it("is sent in the form that the browser takes, each with a tag of its own, and not sent again", async () => {
    const fileOf = StaticFile.keeper({ "a.svg": () => "<svg/>" })
    const plain = await ask(fileOf("a.svg"))
    const answer = await ask(fileOf("a.svg"), "/a.svg", { "accept-encoding": "gzip" })
    assert.strictEqual(plain.headers["content-type"], "image/svg+xml")
    assert.strictEqual(answer.headers["content-encoding"], "gzip")
    assert.strictEqual(gunzipSync(answer.body!).toString(), new TextDecoder().decode(plain.body))
    assert.notStrictEqual(answer.headers["etag"], plain.headers["etag"])
    const again = await ask(fileOf("a.svg"), "/a.svg", { "if-none-match": plain.headers["etag"]! })
    assert.deepStrictEqual([again.status, again.body], [304, undefined])
  })
})
