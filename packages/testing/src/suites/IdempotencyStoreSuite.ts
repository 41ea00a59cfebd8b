/** The rules for answers stored by idempotency key, for every storage (D5.2). */
import { IdempotencyStore, NotRun, retentionMillis } from "@dockline/core/access/Idempotency"
import type { IdempotentRequest } from "@dockline/core/access/Idempotency"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { Effect } from "effect"
import * as assert from "../Assert.ts"
import { unique } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"
import { aWorld, deciding } from "../worlds/IntakeWorld.ts"
import type { IntakeStores } from "../worlds/IntakeWorld.ts"
import { keepOf } from "../worlds/KeepWorld.ts"
import { at } from "../worlds/MessageLogWorld.ts"

/** The port under test, and the ports of a store that keeps answers with its writes. */
export type IdempotencyStores = IdempotencyStore | IntakeStores

type AddTest = Suite.AddTest<IdempotencyStores>

/** A new client. Its function `keep` stores a text as the answer to a request, and returns the earlier answer, or `null`. */
const aClient = Effect.sync(() => {
  const clientId = unique("client")
  const request = (fields: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
    clientId,
    key: "key",
    fingerprint: "body",
    ...fields
  })
  return {
    clientId,
    request,
    keep: Effect.fnUntraced(function*(text: string, fields?: Partial<IdempotentRequest>) {
      const store = yield* IdempotencyStore
      const answer = yield* store.keep(request(fields), text)
      return answer === null ? null : answer.text
    })
  }
})

/** Cases of storing an answer and recognising a repetition. */
const keeping = (test: AddTest): void => {
  test("the first answer is kept, and is found by each repeat", function*() {
    const { keep } = yield* aClient
    assert.isNull(yield* keep("first"))
    assert.strictEqual(yield* keep("second"), "first")
    assert.strictEqual(yield* keep("third"), "first")
  })

  test("an answer is kept for 24 hours, to the millisecond", function*() {
    const { keep } = yield* aClient
    // The current time, so that a storage that drops old answers by itself does not drop these.
    const start = Date.now()
    assert.strictEqual(retentionMillis, 86_400_000)
    yield* at(start)(keep("first"))
    const keepAt = (millis: number, text: string) => at(start + millis)(keep(text))
    assert.strictEqual(yield* keepAt(retentionMillis - 1, "second"), "first")
    assert.isNull(yield* keepAt(retentionMillis, "second"))
    assert.strictEqual(yield* keepAt(retentionMillis + 1, "third"), "second")
  })

  test("with another body it is IDEMPOTENCY_KEY_REUSED, until the 24 hours are over", function*() {
    const { keep } = yield* aClient
    const start = Date.now()
    yield* at(start)(keep("first"))
    const other = keep("other", { fingerprint: "other" })
    const error = yield* Effect.flip(at(start + retentionMillis - 1)(other))
    assert.strictEqual(error._tag === "IdempotencyKeyReused" && error.code, "IDEMPOTENCY_KEY_REUSED")
    assert.isNull(yield* at(start + retentionMillis)(other))
  })

  test("keys belong to a client, are compared exactly, and none runs into another", function*() {
    const { clientId, keep } = yield* aClient
    const ids = ["a", "a,b", "a\",\"b", "A", "a ", "é", "e\u0301"]
    const requests = ids.flatMap((client) =>
      ["", ...ids].map((key) => ({ clientId: `${clientId}${client}`, key }))
    )
    const texts = requests.map((_, index) => `answer ${index}`)
    const keepAll = Effect.forEach(requests, (each, index) => keep(assert.present(texts[index]), each))
    assert.deepStrictEqual(yield* keepAll, requests.map(() => null))
    assert.deepStrictEqual(yield* keepAll, texts)
  })

  test("an answer is kept as it is, however long", function*() {
    const { keep } = yield* aClient
    const answer = `{"a":1,"b":"\u0001\u2028\u{1F69A}\\u0000 '"}${"x".repeat(100_000)}`
    yield* keep(answer)
    assert.strictEqual(yield* keep("another"), answer)
  })

  test("of many at once exactly one is kept, and nobody finds another", function*() {
    const { keep } = yield* aClient
    const attempt = (_: unknown, index: number) =>
      Effect.catch(keep(`answer ${index}`), ({ code }) => Effect.succeed(code))
    const answers = yield* Effect.all(Array.from({ length: 20 }, attempt), { concurrency: "unbounded" })
    assert.strictEqual(answers.filter((each) => each === null).length, 1)
    const lateAnswer = yield* keep("late")
    for (const each of answers) assert.include([null, lateAnswer, "IDEMPOTENCY_KEY_IN_USE"], each)
  })
}

/** This port finds the answers that a store keeps with its writes, and the store finds the answers of this port. */
const together = (test: AddTest): void => {
  test("what a document keeps is found here, and a document finds what is kept here", function*() {
    const { keep, request } = yield* aClient
    const { document, shipments } = yield* aWorld
    const store = yield* IntakeStore
    const submit = (shipmentNumber: string, key: string) => {
      const draft = document({ shipmentNumber })
      return store.transact(draft, deciding(draft), {
        dryRun: false,
        keep: keepOf(request({ key }), () => `document ${shipmentNumber}`)
      })
    }
    yield* submit("S1", "A")
    assert.strictEqual(yield* keep("late", { key: "A" }), "document S1")
    yield* keep("refused", { key: "B" })
    const error = yield* Effect.flip(submit("S2", "B"))
    assert.isTrue(error instanceof NotRun)
    assert.strictEqual(
      error instanceof NotRun && error.state._tag === "KeptAnswer" && error.state.text,
      "refused"
    )
    assert.deepStrictEqual((yield* shipments).map(({ number }) => number), ["S1"])
  })
}

/** The suite of `IdempotencyStore`, with the ports that it needs. */
export const idempotencyStoreSuite: Suite.Suite<IdempotencyStores> = Suite.ofParts(
  "answers kept by idempotency key",
  { "D5.2 keeping": keeping, "D5.2 with a document": together }
)
