/**
 * D18.3 by webhook: an interchange for a partner reaches a customer's server over real sockets, signed, as the X12 of the outbox. It is
 * repeated until it is accepted, is on record, and is sent once more when an operator requests it.
 */
import { profilesOf } from "@dockline/core/capability/DeclaredOperations"
import type { DeliveryDetailView, DeliveryView, TestView } from "@dockline/core/operator/OperatorView"
import type { EdiOutgoingView } from "@dockline/edi/domain/EdiFile"
import * as EdiServices from "@dockline/edi/EdiServices"
import { capabilities } from "@dockline/server/Capabilities"
import { CustomerAuth } from "@dockline/webhook-adapter/auth/CustomerAuth"
import * as UndiciHttp from "@dockline/webhook-adapter/outbound/UndiciHttp"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import {
  bodyOf,
  endpointNow,
  get,
  makeEndpoint,
  operate,
  vault
} from "../../../../test/http/operator/Operator.ts"
import { serving } from "../../../../test/http/Serving.ts"
import { eventually } from "../../../../test/support/Eventually.ts"
import { messaging, timeoutMillis } from "../../../../test/support/TestMessaging.ts"
import { layerMemory, layerPostgres, TestServer } from "../../../../test/support/TestServer.ts"
import type { PageView } from "../../../../test/support/TestServer.ts"
import * as CustomerServer from "../../../webhook-adapter/test/CustomerServer.ts"
import { aPartner, departed } from "./X12.ts"

const allow = ["127.0.0.0/8"]

/** The worker that sends webhooks, and the one that tells partners. */
const sending = Layer.merge(
  EdiServices.advices,
  WebhookAdapter.layer({ ...defaultWebhookConfig, retryDelays: [20, 20], pollMillis: 100 })
).pipe(
  Layer.provide(CustomerAuth.layer()),
  Layer.provide([Placement.layerSingle, UndiciHttp.layer({ allow, timeoutMillis }), vault]),
  Layer.orDie
)

const options = { ...messaging(vault), routes: sending }

/** A receiver that verifies the raw bytes, and fails at the first request of each message. */
const aReceiver = Effect.gen(function*() {
  const state = { secret: "", isOutOfOrder: true }
  const ids = new Set<string>()
  const bodies: Array<string> = []
  const customer = yield* CustomerServer.http(({ body, headers }, response) => {
    const id = String(headers["webhook-id"])
    try {
      new Webhook(state.secret).verify(body, headers as Record<string, string>, { jsonParse: false })
    } catch {
      response.writeHead(401).end()
      return
    }
    const isFirst = !ids.has(id)
    ids.add(id)
    if (state.isOutOfOrder && isFirst) {
      response.writeHead(503).end()
      return
    }
    bodies.push(id)
    response.writeHead(204).end()
  })
  return { ...customer, state, taken: bodies }
})

for (
  const [name, server] of [["memory", layerMemory(options)], ["PostgreSQL", layerPostgres(options)]] as const
) {
  serving<TestServer, never>(`interchanges by webhook, on ${name}`, server, (test) => {
    test(
      "reach the endpoints that ask for them, as the X12 of the outbox, until they are taken",
      function*(server) {
        const receiver = yield* aReceiver
        const other = yield* CustomerServer.http((_, response) => response.writeHead(204).end())
        const { id: partner, slug } = yield* aPartner()
        const { id, signingSecret } = yield* makeEndpoint("acme", {
          baseUrl: `${receiver.url}/in`,
          messageTypes: ["EDI_INTERCHANGE"],
          authentication: { type: "basic", username: "dockline", password: "secret" },
          payloadProfile: profilesOf(capabilities).at(-1)!.name
        })
        receiver.state.secret = signingSecret
        const { id: otherId } = yield* makeEndpoint("acme", { baseUrl: other.url })
        const shipmentId = yield* departed(partner)
        yield* Effect.promise(() => eventually("the interchange is taken", () => receiver.taken.length > 0))

        const { items: [outgoing, ...more] } = bodyOf<PageView<EdiOutgoingView>>(
          yield* server.get(`/v1/edi/outbox?business=acme&partner=${slug}`),
          200
        )
        assert.lengthOf(more, 0)
        const [first, second, ...others] = receiver.received
        assert.lengthOf(others, 0)
        for (const request of [first!, second!]) {
          assert.strictEqual(request.url, "/in/api/edi")
          assert.strictEqual(request.headers["content-type"], "application/edi-x12")
          assert.strictEqual(
            request.headers["authorization"],
            `Basic ${Buffer.from("dockline:secret").toString("base64")}`
          )
          assert.strictEqual(request.body, outgoing!.text)
          assert.strictEqual(request.headers["webhook-id"], receiver.taken[0])
        }
        assert.match(outgoing!.text, /^ISA\*00\*.*~\nGS\*RE\*[^]*IEA\*1\*\d{9}~$/)

        const path = `webhook-endpoints/${id}/deliveries`
        const delivery = yield* Effect.promise(() =>
          eventually("the delivery is on record", () =>
            Effect.runPromise(
              Effect.map(
                Effect.provideService(get(path), TestServer, server),
                (reply) =>
                  bodyOf<PageView<DeliveryView>>(reply, 200).items.find(({ status }) =>
                    status === "DELIVERED"
                  )
              )
            ))
        )
        assert.deepStrictEqual(
          [delivery.messageType, delivery.shipmentId, delivery.attempts.map(({ status }) => status)],
          ["EDI_INTERCHANGE", String(shipmentId), [503, 204]]
        )
        const { request } = bodyOf<DeliveryDetailView>(yield* get(`${path}/${delivery.id}`), 200)
        assert.deepInclude(request, {
          url: `${receiver.url}/in/api/edi`,
          body: outgoing!.text,
          length: outgoing!.text.length
        })
        assert.strictEqual(request!.headers["Content-Type"], "application/edi-x12")

        assert.strictEqual((yield* operate("POST", `${path}/${delivery.id}/replay`)).status, 202)
        yield* Effect.promise(() => eventually("it is taken again", () => receiver.taken.length > 1))
        assert.deepStrictEqual(receiver.taken, [`msg_${delivery.messageId}`, `msg_${delivery.messageId}`])

        // The other endpoint got only the messages of the shipment; no list of messages has the interchange.
        yield* Effect.promise(() =>
          eventually("the other endpoint has nothing left", () =>
            Effect.runPromise(
              Effect.map(
                Effect.provideService(endpointNow(otherId), TestServer, server),
                ({ backlog, cursorId }) => backlog === 0 && cursorId >= delivery.messageId
              )
            ))
        )
        assert.deepStrictEqual(
          Array.from(new Set(other.received.map(({ url }) => url))).toSorted(),
          ["/api/palletEvent", "/api/shipmentComplete"]
        )
        const { items: messages } = bodyOf<PageView<{ readonly id: number; readonly messageType: string }>>(
          yield* server.get(`/v1/messages?business=acme&afterId=${delivery.messageId - 1}`),
          200
        )
        assert.notInclude(messages.map(({ id }) => id), delivery.messageId)
        assert.strictEqual((yield* server.get(`/v1/edi/outbox?business=acme&partner=${slug}`)).status, 200)
      }
    )

    test("are tested by an interchange that is marked as a test", function*() {
      const receiver = yield* aReceiver
      receiver.state.isOutOfOrder = false
      const { id, signingSecret } = yield* makeEndpoint("acme", {
        baseUrl: receiver.url,
        messageTypes: ["EDI_INTERCHANGE"],
        enabled: false
      })
      receiver.state.secret = signingSecret
      const view = bodyOf<TestView>(yield* operate("POST", `webhook-endpoints/${id}/test`, {}), 200)
      assert.deepInclude(view, { messageType: "EDI_INTERCHANGE", isTaken: true, status: 204 })
      const [{ body, headers, url }] = receiver.received as [CustomerServer.CustomerRequest]
      assert.deepStrictEqual([url, headers["content-type"]], ["/api/edi", "application/edi-x12"])
      assert.match(body, /^ISA\*[^~]*\*0\*T\*>~\nIEA\*0\*000000001~$/)
      assert.strictEqual(body.indexOf("~"), 105, "ISA has its width")
    })
  })
}
