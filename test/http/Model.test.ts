/** The REST interface does what the model of the service does, told over HTTP: its answers, codes and pages. */
import { permissions } from "@dockline/core/Access"
import { Authenticator } from "@dockline/core/Authenticator"
import * as Dockline from "@dockline/core/Dockline"
import * as Memory from "@dockline/core/Memory"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import * as Law from "@dockline/testing/Law"
import * as HistoryLaw from "@dockline/testing/model/HistoryLaw"
import type { Reply, Service } from "@dockline/testing/model/Service"
import { assert } from "@effect/vitest"
import { often, runner } from "../support/Runner.ts"

const baseUrl = "http://dockline.test"

const client = { clientId: "client", grants: [{ business: "*", facilities: "*", permissions }] } as const

/** The value of an answer that is no problem; a problem's code, and its detail as the text. */
const replyOf = async <A>(
  response: Response,
  value: (body: unknown) => unknown = (body) => body
): Promise<Reply<A>> => {
  const body: unknown = await response.json()
  if (response.ok) return { ok: true, value: value(body) as A }
  const { code, detail } = body as { readonly code: string; readonly detail: string }
  return { ok: false, error: { code, message: detail } }
}

/** The interface over memory, asked as a client does; messages, which it does not show, as the embedding does. */
const overRest = async (): Promise<Service> => {
  let now = 0
  const dockline = await Dockline.open({ storage: Memory.layer, clock: { now: () => now } })
  const authenticator = Authenticator.layerPromise(async () => client)
  const rest = await RestHandler.make(dockline.layer, {
    baseUrl,
    authenticator,
    rateLimits: { perMinute: 0 }
  })
  const ask = (path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response> =>
    rest.handler(
      new Request(`${baseUrl}/v1/${path}`, {
        headers: { authorization: "Bearer any", "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
    )
  const list = (path: string, query: object): Promise<Response> => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    return ask(`${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`)
  }
  return {
    setTime: (millis) => {
      now = millis
    },
    places: async (businesses) => assert.isTrue((await dockline.places(businesses)).ok),
    submit: async (document, { dryRun }) => {
      const response = await ask(`documents${dryRun ? "?dryRun=true" : ""}`, document)
      return replyOf(response, (body) => {
        const isCreated = (body as { readonly created: ReadonlyArray<unknown> }).created.length > 0
        assert.strictEqual(response.status, isCreated ? 201 : 200)
        return body
      })
    },
    recordPallet: async (event) => {
      const response = await ask("pallet-events", event)
      return replyOf(response, (answer) => ({ answer, repeated: response.status === 200 }))
    },
    arrive: async (id, arrival) => replyOf(await ask(`shipments/${id}/arrive`, arrival)),
    cancel: async (id) => replyOf(await ask(`shipments/${id}/cancel`, {})),
    depart: async (id, departure) => replyOf(await ask(`shipments/${id}/depart`, departure)),
    link: async (id, linkedShipmentId) =>
      replyOf(await ask(`shipments/${id}/link`, { linkedShipmentId: Number(linkedShipmentId) })),
    reportException: async (id, report, { key }) =>
      replyOf(
        await ask(
          `shipments/${id}/exceptions`,
          report,
          key === undefined ? {} : { "idempotency-key": key }
        )
      ),
    resolveException: async (id, exceptionId, resolution) =>
      replyOf(await ask(`shipments/${id}/exceptions/${exceptionId}/resolve`, resolution)),
    exceptions: async (id) => replyOf(await ask(`shipments/${id}/exceptions`)),
    records: async (query) => replyOf(await list("documents", query)),
    record: async (id) => replyOf(await ask(`documents/${id}`)),
    shipment: async (id) => replyOf(await ask(`shipments/${id}`)),
    discrepancies: async (id) => replyOf(await ask(`shipments/${id}/discrepancies`)),
    shipmentPallets: async (id) => replyOf(await ask(`shipments/${id}/pallets`)),
    pallets: async (query) => replyOf(await list("pallets", query)),
    shipments: async (query) => replyOf(await list("shipments", query)),
    orders: async (query) => replyOf(await list("orders", query)),
    messages: (query) => dockline.messages(query, client),
    close: async () => {
      await rest.close()
      await dockline.close()
    }
  }
}

Law.register(runner, "the REST interface", [HistoryLaw.agrees(overRest, { runs: 4 })], often)
