/** D10.3, D11: who may do what on the operator side, for every operation of it, over real sockets. */
import type { Grant } from "@dockline/core/Access"
import type { ClientView, PersonView } from "@dockline/core/operator/OperatorView"
import { Api } from "@dockline/http-adapter/Api"
import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, once, refusalOf, unique } from "../../support/TestServer.ts"
import {
  bodyOf,
  endpointOf,
  get,
  makeBusiness,
  makeClient,
  makeEndpoint,
  operate,
  operatorOf,
  vault
} from "./Operator.ts"

/** What there is to operate on in one business. */
interface Place {
  readonly business: string
  readonly clientId: string
  readonly secretId: string
  readonly endpointId: string
  readonly personId: string
  /** The slug of an EDI partner. */
  readonly partner: string
}

/** An operation at a place: how it is asked, and how it is answered to who operates the place, and another one. */
interface Case {
  readonly method: string
  readonly path: (place: Place) => string
  readonly body?: (place: Place) => unknown
  readonly own: number
  /** `shown` is a list, which is answered with what the client may see. */
  readonly foreign: 403 | 404 | "shown"
}

const grantAt = ({ business }: Place): Grant => ({
  business,
  facilities: "*",
  permissions: ["documents:write"]
})

const partnerOf = (slug: string) => {
  const side = { qualifier: "ZZ", id: slug, group: slug }
  return {
    slug,
    name: slug,
    facility: "main",
    theirs: side,
    ours: { ...side, id: "US" },
    takes: ["856"],
    tells: []
  }
}

const ofBusiness = (rest = "") => ({ business }: Place) => `businesses/${business}${rest}`
const ofClient = (rest = "") => ({ clientId }: Place) => `clients/${clientId}${rest}`
const ofPartner = ({ business, partner }: Place) => `businesses/${business}/edi-partners/${partner}`
const ofPerson = ({ personId }: Place) => `people/${personId}`
const ofEndpoint = (rest = "") => ({ endpointId }: Place) => `webhook-endpoints/${endpointId}${rest}`

/** What names a business by its slug is forbidden elsewhere; what has an id is not there. */
const cases: Readonly<Record<string, Case>> = {
  listBusinesses: { method: "GET", path: () => "businesses", own: 200, foreign: "shown" },
  createBusiness: {
    method: "POST",
    path: () => "businesses",
    body: () => ({ slug: unique("biz"), name: "A" }),
    own: 403,
    foreign: 403
  },
  getBusiness: { method: "GET", path: ofBusiness(), own: 200, foreign: 403 },
  renameBusiness: {
    method: "PATCH",
    path: ofBusiness(),
    body: () => ({ name: "A" }),
    own: 200,
    foreign: 403
  },
  getFieldMap: { method: "GET", path: ofBusiness("/field-map"), own: 200, foreign: 403 },
  setFieldMap: { method: "PUT", path: ofBusiness("/field-map"), body: () => [], own: 200, foreign: 403 },
  listFacilities: { method: "GET", path: ofBusiness("/facilities"), own: 200, foreign: 403 },
  createFacility: {
    method: "POST",
    path: ofBusiness("/facilities"),
    body: () => ({ slug: unique("fac"), name: "A" }),
    own: 201,
    foreign: 403
  },
  getFacility: { method: "GET", path: ofBusiness("/facilities/main"), own: 200, foreign: 403 },
  updateFacility: {
    method: "PATCH",
    path: ofBusiness("/facilities/main"),
    body: () => ({ name: "A" }),
    own: 200,
    foreign: 403
  },
  listDocks: { method: "GET", path: ofBusiness("/facilities/main/docks"), own: 200, foreign: 403 },
  createDock: {
    method: "POST",
    path: ofBusiness("/facilities/main/docks"),
    body: () => ({ slug: unique("D") }),
    own: 201,
    foreign: 403
  },
  listEdiPartners: { method: "GET", path: ofBusiness("/edi-partners"), own: 200, foreign: 403 },
  createEdiPartner: {
    method: "POST",
    path: ofBusiness("/edi-partners"),
    body: () => partnerOf(unique("partner")),
    own: 201,
    foreign: 403
  },
  getEdiPartner: { method: "GET", path: ofPartner, own: 200, foreign: 403 },
  updateEdiPartner: { method: "PATCH", path: ofPartner, body: () => ({ name: "A" }), own: 200, foreign: 403 },
  listClients: { method: "GET", path: () => "clients", own: 200, foreign: "shown" },
  createClient: {
    method: "POST",
    path: () => "clients",
    body: (place) => ({ name: "A", grants: [grantAt(place)] }),
    own: 201,
    foreign: 403
  },
  getClient: { method: "GET", path: ofClient(), own: 200, foreign: 404 },
  updateClient: { method: "PATCH", path: ofClient(), body: () => ({ name: "A" }), own: 200, foreign: 404 },
  createSecret: { method: "POST", path: ofClient("/secrets"), own: 201, foreign: 404 },
  deleteSecret: {
    method: "DELETE",
    path: ({ clientId, secretId }) => `clients/${clientId}/secrets/${secretId}`,
    own: 204,
    foreign: 404
  },
  listPeople: { method: "GET", path: () => "people", own: 200, foreign: "shown" },
  addPerson: {
    method: "POST",
    path: () => "people",
    body: (place) => ({ name: "A", subject: unique("sub"), grants: [grantAt(place)] }),
    own: 201,
    foreign: 403
  },
  getPerson: { method: "GET", path: ofPerson, own: 200, foreign: 404 },
  updatePerson: { method: "PATCH", path: ofPerson, body: () => ({ name: "A" }), own: 200, foreign: 404 },
  removePerson: { method: "DELETE", path: ofPerson, own: 204, foreign: 404 },
  listWebhookEndpoints: { method: "GET", path: () => "webhook-endpoints", own: 200, foreign: "shown" },
  createWebhookEndpoint: {
    method: "POST",
    path: () => "webhook-endpoints",
    body: ({ business }) => endpointOf(business),
    own: 201,
    foreign: 403
  },
  getWebhookEndpoint: { method: "GET", path: ofEndpoint(), own: 200, foreign: 404 },
  updateWebhookEndpoint: { method: "PATCH", path: ofEndpoint(), body: () => ({}), own: 200, foreign: 404 },
  rotateSigningSecret: { method: "POST", path: ofEndpoint("/rotate-secret"), own: 200, foreign: 404 },
  testWebhookEndpoint: { method: "POST", path: ofEndpoint("/test"), own: 200, foreign: 404 },
  // The business is not a sandbox: its own operator is told so.
  certifyWebhookEndpoint: { method: "POST", path: ofEndpoint("/certify"), own: 409, foreign: 404 },
  listDeliveries: { method: "GET", path: ofEndpoint("/deliveries"), own: 200, foreign: 404 },
  getDelivery: { method: "GET", path: ofEndpoint("/deliveries/1"), own: 404, foreign: 404 },
  // The message is unknown to the endpoint: 404 to its own operator as well.
  replayDelivery: { method: "POST", path: ofEndpoint("/deliveries/1/replay"), own: 404, foreign: 404 },
  replayDeliveries: {
    method: "POST",
    path: ofEndpoint("/replay"),
    body: () => ({ fromId: 1, toId: 2 }),
    own: 202,
    foreign: 404
  },
  listAudit: { method: "GET", path: () => "audit", own: 200, foreign: "shown" },
  // It takes the permission for the whole service.
  advanceMessages: {
    method: "POST",
    path: () => "messages/advance",
    body: () => ({ beyond: 1 }),
    own: 403,
    foreign: 403
  },
  deleteWebhookEndpoint: { method: "DELETE", path: ofEndpoint(), own: 204, foreign: 404 },
  deleteEdiPartner: { method: "DELETE", path: ofPartner, own: 204, foreign: 403 }
}

const ask = ({ method, path, body }: Case, place: Place, as: RequestOptions) =>
  operate(method, path(place), body?.(place), as)

const makePlace = Effect.gen(function*() {
  const business = yield* makeBusiness
  const { id: clientId } = yield* makeClient({ business, facilities: "*", permissions: ["documents:write"] })
  const { secrets } = bodyOf<ClientView>(yield* get(`clients/${clientId}`), 200)
  const { id: endpointId } = yield* makeEndpoint(business)
  const person = yield* operate("POST", "people", {
    name: "Ada",
    subject: unique("sub"),
    grants: [{ business, facilities: "*", permissions: ["documents:write"] }]
  })
  const { id: personId } = bodyOf<PersonView>(person, 201)
  const partner = unique("partner")
  bodyOf(yield* operate("POST", `businesses/${business}/edi-partners`, partnerOf(partner)), 201)
  return { business, clientId, secretId: secrets[0]!.id, endpointId, personId, partner } satisfies Place
})

/** Everything there is to see of a place. */
const stateOf = ({ business, clientId, endpointId, partner, personId }: Place) =>
  Effect.map(
    Effect.all([
      get(`businesses/${business}`),
      get(`businesses/${business}/field-map`),
      get(`businesses/${business}/facilities`),
      get(`businesses/${business}/facilities/main/docks`),
      get(`clients/${clientId}`),
      get(`people/${personId}`),
      get(`businesses/${business}/edi-partners/${partner}`),
      get(`webhook-endpoints/${endpointId}`)
    ]),
    (replies) => replies.map(({ text }) => text)
  )

/** A place to which nothing is done, as it was made, and clients that may not operate it. */
const makeRefusing = Effect.gen(function*() {
  const [place, other] = [yield* makePlace, yield* makeBusiness]
  const worker = yield* makeClient({
    business: place.business,
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  })
  const stranger = yield* makeClient(operatorOf(other))
  return { place, worker: worker.as, stranger: stranger.as, before: yield* stateOf(place) }
})

describe("D11 the table of operations", () => {
  // @threat tenants.2
  plainIt("has all of the operator side", () => {
    const operations: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (endpoint.path.startsWith("/v1/operator/")) operations.push(endpoint.identifier)
      }
    })
    assert.deepStrictEqual(Object.keys(cases).sort(), operations.sort())
  })
})

layer(layerMemory({ vault }), { excludeTestServices: true })(
  "D10.3 who may operate",
  (it) => {
    const refusing = once(makeRefusing)

    for (const [name, given] of Object.entries(cases)) {
      it.effect(`${name}: 401 without a token, 403 without the permission operator, and nothing is done`, () =>
        Effect.gen(function*() {
          const { before, place, worker } = yield* refusing
          const none = yield* ask(given, place, { client: null })
          assert.deepStrictEqual(refusalOf(none), [401, "UNAUTHENTICATED"])
          assert.deepStrictEqual(refusalOf(yield* ask(given, place, worker)), [403, "FORBIDDEN"])
          assert.deepStrictEqual(yield* stateOf(place), before)
        }))

      // @threat tenants.5
      it.effect(`${name}: ${given.foreign} to the operator of another business, and nothing is done`, () =>
        Effect.gen(function*() {
          const { before, place, stranger } = yield* refusing
          const reply = yield* ask(given, place, stranger)
          if (given.foreign === "shown") {
            for (const hidden of Object.values(place)) assert.notInclude(reply.text, `"${hidden}"`)
          }
          assert.strictEqual(reply.status, given.foreign === "shown" ? 200 : given.foreign, reply.text)
          assert.deepStrictEqual(yield* stateOf(place), before)
        }))

      it.effect(`${name}: ${given.own} to the operator of the business`, () =>
        Effect.gen(function*() {
          const place = yield* makePlace
          const { as } = yield* makeClient(operatorOf(place.business))
          const reply = yield* ask(given, place, as)
          assert.strictEqual(reply.status, given.own, reply.text)
        }))
    }
  }
)
