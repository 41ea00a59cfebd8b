/**
 * The schema on other GraphQL servers, made of core's services and nothing of ours besides, as the README shows it:
 * GraphQL's own execution, and GraphQL Yoga over HTTP.
 */
import { recently } from "@dockline/testing/generators/Given"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { ManagedRuntime } from "effect"
import { createYoga } from "graphql-yoga"
import { gatherServices } from "../../src/resolvers/Run.ts"
import { makeSchema } from "../../src/schema/Schema.ts"
import { services, sessionOf } from "../EngineSetup.ts"

const runtime = ManagedRuntime.make(services)
afterAll(() => runtime.dispose())

const contextOf = (clientId: string) => ({ session: sessionOf(clientId), correlationId: crypto.randomUUID() })

const submit = `mutation ($orderNumber: String!) {
  submitDocument(input: {
    business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: $orderNumber
    items: [{ lpn: $orderNumber, sku: "S", quantity: 1, quantityUnit: "CASE" }]
  }) { created { type reference } }
}`

const record = `mutation ($input: PalletEventInput!) { recordPalletEvent(input: $input) { messageId } }`

const eventOf = (lpn: string) => ({
  input: {
    eventId: `event-${lpn}`,
    business: "acme",
    facility: "east",
    dockSlug: "D1",
    direction: "LOADING",
    occurredAt: recently("17:00:00Z"),
    labels: [{ name: "lpn", value: lpn }]
  }
})

const history =
  `{ pushMessages(input: { businessSlug: "acme", since: "2000-01-01T00:00:00Z" }) { id message } }`
const follow = `subscription { pushMessage(filter: { businessSlug: "acme" }) { id message } }`

describe("the schema of gathered services", () => {
  it("runs them on GraphQL Yoga, with our codes in its errors", async () => {
    const schema = makeSchema(await runtime.runPromise(gatherServices()))
    const order = "yoga"
    const yoga = createYoga({
      schema,
      logging: false,
      context: ({ request }) => contextOf(request.headers.get("x-client")!)
    })
    const post = (client: string, body: unknown, accept = "application/json") =>
      yoga.fetch("http://localhost/graphql", {
        method: "POST",
        headers: { "content-type": "application/json", accept, "x-client": client },
        body: JSON.stringify(body)
      })
    const ask = async (client: string, query: string, variables?: unknown) =>
      (await (await post(client, { query, variables })).json()) as {
        data?: Record<string, unknown>
        errors?: ReadonlyArray<unknown>
      }
    expect((await ask("acme-client", submit, { orderNumber: order })).errors).toBe(undefined)
    const events = await post("acme-client", { query: follow }, "text/event-stream")
    expect(events.status).toBe(200)
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    const event = await ask("tower", record, eventOf(order))
    expect(event.errors).toBe(undefined)
    let text = ""
    while (!text.includes(order)) {
      const { value, done } = await reader.read()
      if (done) break
      text += value
    }
    await reader.cancel()
    expect(text).toContain(`"orders":["${order}"]`)
    expect(JSON.stringify((await ask("acme-client", history)).data)).toContain(`"orders":["${order}"]`)
    expect((await ask("globex-client", history)).errors).toMatchObject([{
      extensions: { code: "FORBIDDEN" }
    }])
  })
})
