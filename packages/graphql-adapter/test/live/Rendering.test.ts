/** What is kept of messages and their rendered texts: 16 MiB, of which the oldest go first. */
import type { Message } from "@dockline/core/messages/Message"
import { fromMillis } from "@dockline/core/values/Timestamp"
import { assert } from "@effect/vitest"
import { validateSubscriptionArgs } from "graphql"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import { makeRenderings } from "../../src/live/Subscriptions.ts"
import { test } from "../Running.ts"

const mebibyte = 1024 * 1024

const messageOf = (id: number): Message => ({
  id,
  business: "acme",
  facility: "east",
  type: "PALLET_EVENT",
  json: " ".repeat(mebibyte),
  shipmentId: 1,
  sentAt: fromMillis(0)
})

test("D8.7 rendered texts are kept up to 16 MiB with their messages, and are rendered again after that", function*() {
  const { prepare } = yield* GraphqlEngine
  const operation = prepare({
    query: `subscription { pushMessage(filter: { businessSlug: "acme" }) { id } }`
  })
  assert("document" in operation)
  const args = validateSubscriptionArgs({ schema: operation.schema, document: operation.document })
  assert("operation" in args)
  const { render } = makeRenderings((error) => assert.fail(String(error)))(operation, args)
  const messages = Array.from({ length: 16 }, (_, index) => messageOf(index + 1))
  const [first, ...others] = messages.map(render)
  assert.strictEqual(String(first), `{"data":{"pushMessage":{"id":1}}}`)
  // The texts take room too, so that one of sixteen messages is dropped.
  assert.deepStrictEqual(
    messages.slice(1).map((message, index) => render(message) === others[index]),
    others.map(() => true)
  )
  assert.notStrictEqual(render(messages[0]!), first)
  assert.deepStrictEqual(render(messages[0]!), first)
  assert.notStrictEqual(render(messages[1]!), others[0])
})
