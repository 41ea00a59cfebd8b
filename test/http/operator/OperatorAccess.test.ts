/** D10.3, D11: the permissions for every operation of operators, over real sockets. */
import type { Grant } from "@dockline/core/access/Access"
import type { ClientView, PersonView } from "@dockline/core/operator/OperatorView"
import { Api, withCapabilities } from "@dockline/http-adapter/api/Api"
import { capabilities } from "@dockline/server/Capabilities"
import { assert, describe, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, once, refusalOf, unique } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
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

/** The entities of one business on which operators act. */
interface Place {
  readonly business: string
  readonly clientId: string
  readonly secretId: string
  readonly endpointId: string
  readonly personId: string
  /** The slug of an EDI partner. */
  readonly partner: string
}

/**
 * An operation at a place: its request, its status for the operator of the place and for the operator of another one, and its body. `shown`
 * is a list, whose answer has the entities that the client may see.
 */
type Case = readonly [
  method: string,
  path: (place: Place) => string,
  own: number,
  foreign: 403 | 404 | "shown",
  body?: (place: Place) => unknown
]

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

const aRule = {
  facility: "main",
  kinds: ["WRONG_PALLET"],
  channel: "EMAIL",
  to: ["shift@example.com"]
}

const at = (path: string) => () => path
const ofBusiness = (rest = "") => ({ business }: Place) => `businesses/${business}${rest}`
const ofClient = (rest = "") => ({ clientId }: Place) => `clients/${clientId}${rest}`
const ofRule = (rest = "") => ({ business }: Place) => `businesses/${business}/alert-rules/night${rest}`
const ofPartner = ({ business, partner }: Place) => `businesses/${business}/edi-partners/${partner}`
const ofPerson = (rest = "") => ({ personId }: Place) => `people/${personId}${rest}`
const ofSecret = ({ clientId, secretId }: Place) => `clients/${clientId}/secrets/${secretId}`
const ofEndpoint = (rest = "") => ({ endpointId }: Place) => `webhook-endpoints/${endpointId}${rest}`

const named = () => ({ name: "A" })
const ofSlug = (prefix: string) => () => ({ slug: unique(prefix), name: "A" })
const granting = (place: Place) => ({ grants: [grantAt(place)] })
const granted = (place: Place) => ({ name: "A", grants: [grantAt(place)] })

/** Elsewhere, paths with the slug of a business are forbidden, and paths with an id are not found. */
const cases: Readonly<Record<string, Case>> = {
  listBusinesses: ["GET", at("businesses"), 200, "shown"],
  createBusiness: ["POST", at("businesses"), 403, 403, ofSlug("biz")],
  getBusiness: ["GET", ofBusiness(), 200, 403],
  renameBusiness: ["PATCH", ofBusiness(), 200, 403, named],
  getFieldMap: ["GET", ofBusiness("/field-map"), 200, 403],
  setFieldMap: ["PUT", ofBusiness("/field-map"), 200, 403, () => []],
  listFacilities: ["GET", ofBusiness("/facilities"), 200, 403],
  createFacility: ["POST", ofBusiness("/facilities"), 201, 403, ofSlug("fac")],
  getFacility: ["GET", ofBusiness("/facilities/main"), 200, 403],
  updateFacility: ["PATCH", ofBusiness("/facilities/main"), 200, 403, named],
  listDocks: ["GET", ofBusiness("/facilities/main/docks"), 200, 403],
  createDock: ["POST", ofBusiness("/facilities/main/docks"), 201, 403, () => ({ slug: unique("D") })],
  getEpcisSettings: ["GET", ofBusiness("/epcis"), 200, 403],
  setEpcisSettings: ["PUT", ofBusiness("/epcis"), 200, 403, () => ({})],
  setAlertRule: ["PUT", ofRule(), 200, 403, () => aRule],
  listAlertRules: ["GET", ofBusiness("/alert-rules"), 200, 403],
  listAlertNotices: ["GET", ofRule("/notices"), 200, 403],
  getAlertRule: ["GET", ofRule(), 200, 403],
  testAlertRule: ["POST", ofRule("/test"), 202, 403],
  listEdiPartners: ["GET", ofBusiness("/edi-partners"), 200, 403],
  createEdiPartner: ["POST", ofBusiness("/edi-partners"), 201, 403, () => partnerOf(unique("partner"))],
  getEdiPartner: ["GET", ofPartner, 200, 403],
  updateEdiPartner: ["PATCH", ofPartner, 200, 403, named],
  // The business has no such file: 404 for its own operator as well.
  resendEdiFile: ["POST", ofBusiness("/edi-files/1/resend"), 404, 403],
  listClients: ["GET", at("clients"), 200, "shown"],
  createClient: ["POST", at("clients"), 201, 403, granted],
  getClient: ["GET", ofClient(), 200, 404],
  updateClient: ["PATCH", ofClient(), 200, 404, named],
  addClientGrants: ["POST", ofClient("/grants"), 200, 404, granting],
  // Clients from which an operator withdraws nothing keep their grants.
  withdrawClientGrants: ["POST", ofClient("/grants/withdraw"), 200, 404, () => ({ grants: [] })],
  createSecret: ["POST", ofClient("/secrets"), 201, 404],
  deleteSecret: ["DELETE", ofSecret, 204, 404],
  listPeople: ["GET", at("people"), 200, "shown"],
  addPerson: ["POST", at("people"), 201, 403, (place) => ({ ...granted(place), subject: unique("sub") })],
  getPerson: ["GET", ofPerson(), 200, 404],
  updatePerson: ["PATCH", ofPerson(), 200, 404, named],
  addPersonGrants: ["POST", ofPerson("/grants"), 200, 404, granting],
  withdrawPersonGrants: ["POST", ofPerson("/grants/withdraw"), 200, 404, () => ({ grants: [] })],
  removePerson: ["DELETE", ofPerson(), 204, 404],
  listWebhookEndpoints: ["GET", at("webhook-endpoints"), 200, "shown"],
  createWebhookEndpoint: ["POST", at("webhook-endpoints"), 201, 403, ({ business }) => endpointOf(business)],
  getWebhookEndpoint: ["GET", ofEndpoint(), 200, 404],
  updateWebhookEndpoint: ["PATCH", ofEndpoint(), 200, 404, () => ({})],
  rotateSigningSecret: ["POST", ofEndpoint("/rotate-secret"), 200, 404],
  testWebhookEndpoint: ["POST", ofEndpoint("/test"), 200, 404],
  listDeliveries: ["GET", ofEndpoint("/deliveries"), 200, 404],
  getDelivery: ["GET", ofEndpoint("/deliveries/1"), 404, 404],
  getMessage: ["GET", ofBusiness("/messages/1"), 404, 403],
  // The endpoint does not know the message: 404 for its own operator as well.
  replayDelivery: ["POST", ofEndpoint("/deliveries/1/replay"), 404, 404],
  replayDeliveries: ["POST", ofEndpoint("/replay"), 202, 404, () => ({ fromId: 1, toId: 2 })],
  listAudit: ["GET", at("audit"), 200, "shown"],
  // It needs the permission for the whole service.
  advanceMessages: ["POST", at("messages/advance"), 403, 403, () => ({ beyond: 1 })],
  deleteWebhookEndpoint: ["DELETE", ofEndpoint(), 204, 404],
  deleteEdiPartner: ["DELETE", ofPartner, 204, 403],
  deleteAlertRule: ["DELETE", ofRule(), 204, 403]
}

const ask = ([method, path, , , body]: Case, place: Place, as: RequestOptions) =>
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
  bodyOf(yield* operate("PUT", `businesses/${business}/alert-rules/night`, aRule), 200)
  return { business, clientId, secretId: secrets[0]!.id, endpointId, personId, partner } satisfies Place
})

/** The visible state of a place. */
const stateOf = (place: Place) => {
  const paths = [
    ofBusiness(),
    ofBusiness("/field-map"),
    ofBusiness("/facilities"),
    ofBusiness("/facilities/main/docks"),
    ofClient(),
    ofPerson(),
    ofPartner,
    ofEndpoint()
  ]
  return Effect.forEach(paths, (path) => Effect.map(get(path(place)), ({ text }) => text))
}

/** An unchanged place, and clients that may not operate it. */
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
    HttpApi.reflect(withCapabilities(Api, capabilities), {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (endpoint.path.startsWith("/v1/operator/")) operations.push(endpoint.identifier)
      }
    })
    assert.deepStrictEqual(Object.keys(cases).sort(), operations.sort())
  })
})

serving("D10.3 who may operate", layerMemory({ vault }), (test) => {
  const refusing = once(makeRefusing)

  for (const [name, given] of Object.entries(cases)) {
    const [, , own, foreign] = given
    test(`${name}: 401 without a token, 403 without the permission operator, and nothing is done`, function*() {
      const { before, place, worker } = yield* refusing
      const none = yield* ask(given, place, { client: null })
      assert.deepStrictEqual(refusalOf(none), [401, "UNAUTHENTICATED"])
      assert.deepStrictEqual(refusalOf(yield* ask(given, place, worker)), [403, "FORBIDDEN"])
      assert.deepStrictEqual(yield* stateOf(place), before)
    })

    // @threat tenants.5
    test(`${name}: ${foreign} to the operator of another business, and nothing is done`, function*() {
      const { before, place, stranger } = yield* refusing
      const reply = yield* ask(given, place, stranger)
      if (foreign === "shown") {
        for (const hidden of Object.values(place)) assert.notInclude(reply.text, `"${hidden}"`)
      }
      assert.strictEqual(reply.status, foreign === "shown" ? 200 : foreign, reply.text)
      assert.deepStrictEqual(yield* stateOf(place), before)
    })

    test(`${name}: ${own} to the operator of the business`, function*() {
      const place = yield* makePlace
      const { as } = yield* makeClient(operatorOf(place.business))
      const reply = yield* ask(given, place, as)
      assert.strictEqual(reply.status, own, reply.text)
    })
  }
})

serving(
  "D10.3 two people with one subject, whom the operator of one business cannot both see",
  layerMemory({ vault }),
  (test) => {
    const makePeople = Effect.gen(function*() {
      const [business, other] = [yield* makeBusiness, yield* makeBusiness]
      const subject = unique("sub")
      const grantOf = (business: string, ...permissions: ReadonlyArray<string>) => ({
        business,
        facilities: "*",
        permissions
      })
      const both = [grantOf(business, "documents:write"), grantOf(other, "documents:write")]
      const add = (grants: ReadonlyArray<unknown>, as?: RequestOptions) =>
        operate("POST", "people", { name: "Ada", subject, grants }, as)
      const first = bodyOf<PersonView>(yield* add([grantOf(other, "documents:write")]), 201)
      const { as } = yield* makeClient(operatorOf(business))
      const grants = [grantOf(business, "documents:write", "messages:read")]
      const second = bodyOf<PersonView>(yield* add(grants, as), 201)
      return { first, second, both, business, grantOf }
    })

    test("are kept apart by changes of the whole service's operator, who sees both", function*() {
      const { both, first } = yield* makePeople
      const reply = yield* operate("PATCH", `people/${first.id}`, { grants: both })
      assert.deepStrictEqual(refusalOf(reply), [409, "PERSON_EXISTS"])
    })

    test("lose grants that are withdrawn, all of them too", function*() {
      const { business, grantOf, second } = yield* makePeople
      const withdraw = (permission: string) =>
        operate("POST", `people/${second.id}/grants/withdraw`, { grants: [grantOf(business, permission)] })
      bodyOf(yield* withdraw("documents:write"), 200)
      assert.deepStrictEqual(bodyOf<PersonView>(yield* withdraw("messages:read"), 200).grants, [])
    })
  }
)
