/**
 * The REST interface over what is built already: one state with the façade, authentication of one's own, a path of one's
 * own, and the end of requests.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { append } from "@dockline/core/document/Strategy"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { Readiness } from "@dockline/core/values/Metrics"
import { AuthenticationSchemes, defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Layer, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import * as RestHandler from "../src/RestHandler.ts"

const wms = {
  clientId: "wms",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
} as const

const client = { id: "wms", secret: "secret", grants: wms.grants }

const open = async (options: Partial<Dockline.Options> = {}) => {
  const dockline = await Dockline.open({ storage: Memory.layer, ...options })
  await dockline.places([{ slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East" }] }])
  return dockline
}

const order = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O-1" }

const root = "https://logistics.example.com"

const post = (path: string, body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  new Request(root + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Key wms", ...headers },
    body: JSON.stringify(body),
    ...init
  })

const tokenRequest = (secret = "secret", path = "/oauth/token") =>
  post(path, {
    client_id: "wms",
    client_secret: secret,
    audience: `${root}/public_graphql`,
    grant_type: "client_credentials"
  })

const tokenOf = async (rest: RestHandler.RestHandler): Promise<string> => {
  const answer = await rest.handler(tokenRequest())
  return (await answer.json() as { readonly access_token: string }).access_token
}

/** Authentication by a key of one's own. */
const authenticator = Authenticator.layerPromise(async (header) => header === "Key wms" ? wms : null)

/** A storage whose transactions begin and never end, and what becomes of them. */
const hanging = () => {
  const start = Promise.withResolvers<void>()
  const interruption = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const storage = Layer.effect(
    IntakeStore,
    Effect.map(IntakeStore, (store) =>
      IntakeStore.of({
        ...store,
        transact: (...args) =>
          Effect.sync(() => start.resolve()).pipe(
            Effect.andThen(Effect.promise(() => goOn.promise)),
            Effect.andThen(store.transact(...args)),
            Effect.onInterrupt(() => Effect.sync(() => interruption.resolve()))
          )
      }))
  ).pipe(Layer.provideMerge(Memory.layer))
  return { storage, begun: start.promise, interrupted: interruption.promise, goOn: goOn.resolve }
}

const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json() as { readonly code: string }).code}`

describe("the REST interface over a façade", () => {
  it("gives tokens to the clients that are named, and shows what the façade was told", async () => {
    await using dockline = await open()
    await using rest = await RestHandler.make(dockline.layer, { baseUrl: `${root}/`, clients: [client] })
    const authorization = `Bearer ${await tokenOf(rest)}`
    const answer = await dockline.submit(order, wms)
    assert(answer.ok)
    const read = await rest.handler(
      new Request(`${root}/v1/shipments/${answer.value.shipment.id}`, { headers: { authorization } })
    )
    assert.deepStrictEqual(await read.json(), answer.value.shipment)
    const response = await rest.handler(
      post("/v1/documents", { ...order, orderNumber: "O-2" }, { authorization })
    )
    assert.strictEqual(response.status, 201)
    const list = await dockline.shipments({ shipmentNumber: "O-2" }, wms)
    assert.strictEqual(list.ok && list.value.items.length, 1)
  })

  it("writes by the clock of the façade", async () => {
    await using dockline = await open({ clock: { now: () => 86_400_000 } })
    await using rest = await RestHandler.make(dockline.layer, { authenticator })
    const response = await rest.handler(post("/v1/documents", order))
    const { shipment } = await response.json() as { readonly shipment: { readonly scheduledAt: string } }
    assert.strictEqual(shipment.scheduledAt, "1970-01-02T00:00:00.000Z")
  })

  it("takes the strategies of the façade in JSON and XML, and shows them in the reference", async () => {
    await using dockline = await open({ strategies: { ADD: append } })
    await using rest = await RestHandler.make(dockline.layer, { authenticator })
    const json = await rest.handler(post("/v1/documents", { ...order, orderItemUpdateStrategy: "ADD" }))
    assert.strictEqual(json.status, 201)
    const xml = await rest.handler(
      new Request(`${root}/v1/documents`, {
        method: "POST",
        headers: { "content-type": "application/xml", authorization: "Key wms" },
        body: "<D><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>" +
          "<orderNumber>O-2</orderNumber><orderItemUpdateStrategy>ADD</orderItemUpdateStrategy></D>"
      })
    )
    assert.strictEqual(xml.status, 201)
    const reference = await (await rest.handler(new Request(`${root}/v1/openapi.json`))).text()
    assert.strictEqual(reference.split("\"DELETE\",\"OVERWRITE\",\"ADD\"").length - 1, 2)
  })

  it("takes the ways of the service to sign in at customers, as they are declared", async () => {
    await using dockline = await open()
    const scheme = {
      type: "apiKey",
      fields: [{ name: "key", description: "The key", secret: true, default: undefined, kind: "text" }]
    } as const
    const services = Layer.merge(
      dockline.layer,
      Layer.succeed(AuthenticationSchemes, [...defaultSchemes, scheme])
    )
    const operator = Authenticator.layerPromise(async () => ({
      clientId: "operator",
      grants: [{ business: "*", facilities: "*", permissions: ["operator"] }]
    }))
    await using rest = await RestHandler.make(services, { authenticator: operator })
    const pathsOf = async (type: string) => {
      const endpoint = {
        business: "acme",
        baseUrl: "https://hooks.acme.example",
        messageTypes: ["PALLET_EVENT"]
      }
      const body = { ...endpoint, authentication: { type } }
      const response = await rest.handler(post("/v1/operator/webhook-endpoints", body))
      assert.strictEqual(response.status, 422)
      const { errors } = await response.json() as {
        readonly errors: ReadonlyArray<{ readonly path: string }>
      }
      return errors.map(({ path }) => path)
    }
    assert.deepStrictEqual(await pathsOf("apiKey"), ["authentication.key"])
    assert.deepStrictEqual(await pathsOf("other"), ["authentication.type"])
  })

  it("keeps one count of requests, by the clock of the façade", async () => {
    let now = 0
    await using dockline = await open({ clock: { now: () => now } })
    const rateLimits = { perMinute: 2 }
    await using rest = await RestHandler.make(dockline.layer, { authenticator, rateLimits })
    const statuses = []
    for (let at = 0; at < 3; at++) statuses.push((await rest.handler(post("/v1/documents", order))).status)
    assert.deepStrictEqual(statuses, [201, 200, 429])
    now += 60_000
    assert.strictEqual((await rest.handler(post("/v1/documents", order))).status, 200)
  })
})

describe("authentication of one's own", () => {
  it("takes the place of tokens, whose paths and texts are gone", async () => {
    await using dockline = await open()
    await using rest = await RestHandler.make(dockline.layer, { authenticator })
    assert.strictEqual((await rest.handler(post("/v1/documents", order))).status, 201)
    const request = post("/v1/documents", order, { authorization: "Key other" })
    assert.strictEqual(await codeOf(await rest.handler(request)), "401 UNAUTHENTICATED")
    assert.strictEqual(await codeOf(await rest.handler(tokenRequest())), "404 RESOURCE_NOT_FOUND")
    const reference = await (await rest.handler(new Request(`${root}/v1/openapi.json`))).text()
    assert.notMatch(reference, /oauth\/|jwks|TokenRequest|JWT|RFC 6749|access token/)
    assert.include(reference, "put in the credentials that this service gave you")
    // The keys of webhooks are no keys of tokens.
    const keys = await rest.handler(new Request(`${root}/.well-known/webhook-keys?business=acme`))
    assert.deepStrictEqual(await keys.json(), { keys: [] })
  })

  it("is what language models are told of, and not tokens", async () => {
    await using dockline = await open()
    await using own = await RestHandler.make(dockline.layer, { authenticator, baseUrl: root })
    await using ours = await RestHandler.make(dockline.layer, { baseUrl: root })
    const guideOf = async ({ handler }: RestHandler.RestHandler) =>
      (await handler(new Request(`${root}/llms.txt`))).text()
    assert.notMatch(await guideOf(own), /oauth|token/)
    assert.include(await guideOf(own), "the credentials that this service gave you")
    assert.include(await guideOf(ours), `\`POST ${root}/oauth/token\``)
    assert.notInclude(await guideOf(ours), "the credentials that this service gave you")
  })

  it("is asked again later where it cannot tell", async () => {
    await using dockline = await open()
    const away = Authenticator.layerPromise(() => Promise.reject(new Error("directory is away")))
    await using rest = await RestHandler.make(dockline.layer, { authenticator: away })
    const response = await rest.handler(post("/v1/documents", order))
    assert.isNotNull(response.headers.get("retry-after"))
    assert.strictEqual(await codeOf(response), "503 ISSUER_UNAVAILABLE")
  })
})

describe("where it is mounted", () => {
  it("is the path of its base address, with which paths are taken and given", async () => {
    await using dockline = await open()
    await using rest = await RestHandler.make(dockline.layer, { baseUrl: `${root}/dockline`, authenticator })
    const created = await rest.handler(post("/dockline/v1/documents?dryRun=false", order))
    assert.strictEqual(created.status, 201)
    const location = created.headers.get("location")!
    assert.match(location, /^\/dockline\/v1\/shipments\/\d+$/)
    const headers = { authorization: "Key wms" }
    assert.strictEqual((await rest.handler(new Request(root + location, { headers }))).status, 200)
    // As from a host that has cut the path off.
    const request = new Request(root + location.replace("/dockline", ""), { headers })
    assert.strictEqual((await rest.handler(request)).status, 200)
    const beside = new Request(`${root}/docklines/v1/shipments`, { headers })
    assert.strictEqual((await rest.handler(beside)).status, 404)
    const reference = await rest.handler(new Request(`${root}/dockline/v1/openapi.json`))
    const { servers } = await reference.json() as {
      readonly servers: ReadonlyArray<{ readonly url: string }>
    }
    assert.deepStrictEqual(servers.map(({ url }) => url), ["/dockline"])
  })

  it("tells its paths from those of the host", async () => {
    await using dockline = await open()
    await using own = await RestHandler.make(dockline.layer, { authenticator })
    await using ours = await RestHandler.make(dockline.layer)
    await using restWithMetrics = await RestHandler.make(dockline.layer, {
      metricsToken: Redacted.make("token")
    })
    const paths = ["/v1", "/v1/docs/", "/v1/documents?x=1", "/healthz", "/readyz", "/oauth/token"]
    assert.deepStrictEqual(paths.map((url) => ours.serves({ url })), paths.map(() => true))
    assert.isFalse(own.serves({ url: "/oauth/token" }))
    assert.isFalse(own.serves({ url: "/.well-known/jwks.json" }))
    assert.isTrue(restWithMetrics.serves({ url: "/metrics" }))
    for (const url of ["/", "/v10", "/hello", "/oauth", "/public_graphql", "/metrics", undefined]) {
      assert.isFalse(ours.serves({ url }), url)
    }
    assert.isTrue(ours.serves(new Request(`${root}/v1/shipments`)))
    // What a request line may hold as well.
    for (const url of ["//", "/\\", "*", "", "http://[", "//v1/documents"]) {
      assert.isFalse(ours.serves({ url }), url)
    }
  })

  it("says where to report vulnerabilities if the options name a contact", async () => {
    await using dockline = await open()
    const securityContact = "mailto:security@example.com"
    await using rest = await RestHandler.make(dockline.layer, { securityContact })
    await using anonymous = await RestHandler.make(dockline.layer)
    const url = `${root}/.well-known/security.txt`
    const response = await rest.handler(new Request(url))
    assert.strictEqual(response.status, 200)
    assert.match(await response.text(), /^Contact: mailto:security@example\.com\nExpires: /)
    assert.isTrue(rest.serves({ url }))
    assert.strictEqual((await anonymous.handler(new Request(url))).status, 404)
    assert.isFalse(anonymous.serves({ url }))
  })

  it("must be an address", async () => {
    await using dockline = await open()
    for (const baseUrl of ["", "logistics.example.com", "/dockline", "ftp://logistics.example.com"]) {
      const error = await RestHandler.make(dockline.layer, { baseUrl }).catch((error: unknown) => error)
      assert.instanceOf(error, TypeError)
      assert.include(error.message, "baseUrl must be the address that clients use")
      assert.include(error.message, `"${baseUrl}"`)
    }
  })

  it.each(
    [
      ["no object", null, "options must be an object, not null"],
      ["an unknown name", { baseURL: root }, "options.baseURL is not an option; there are baseUrl,"],
      [
        "a permission that is none",
        {
          clients: [{
            id: "wms",
            secret: "x",
            grants: [{ business: "*", facilities: "*", permissions: ["write"] }]
          }]
        },
        "options.clients[0].grants[0].permissions[0] must be one of documents:write"
      ]
    ] as const
  )("rejects with what is wrong of the options: %s", async (_, options, expected) => {
    await using dockline = await open()
    const handler = RestHandler.make(dockline.layer, options as unknown as RestHandler.RestOptions)
    const error = await handler.catch((error: unknown) => error)
    assert.instanceOf(error, TypeError)
    assert.include(error.message, expected)
  })

  it("counts them by the client's address behind a proxy that is trusted", async () => {
    await using dockline = await open()
    const trustedProxies = ["192.0.2.0/24"]
    await using rest = await RestHandler.make(dockline.layer, {
      baseUrl: root,
      clients: [client],
      trustedProxies
    })
    const attempt = (secret: string, forwardedFor: string) => {
      const request = tokenRequest(secret)
      request.headers.set("x-forwarded-for", forwardedFor)
      return rest.handler(request, { remoteAddress: "192.0.2.1" })
    }
    for (let at = 0; at < 61; at++) await attempt("wrong", "198.51.100.1")
    assert.strictEqual((await attempt("secret", "198.51.100.1")).status, 429)
    assert.strictEqual((await attempt("secret", "203.0.113.7")).status, 200)
  })
})

describe("requests", () => {
  it.each(["/v1/documents", "/v1/pallet-events", "/oauth/token"])(
    "of %s say so where the host has read the body",
    async (path) => {
      await using dockline = await open()
      await using rest = await RestHandler.make(dockline.layer, { baseUrl: root, clients: [client] })
      const authorization = `Bearer ${await tokenOf(rest)}`
      const request = (body: BodyInit) =>
        post(path, null, { authorization, "content-length": "9" }, { body, duplex: "half" } as RequestInit)
      const abandonedRequest = request(new ReadableStream({ start: (body) => body.close() }))
      const usedRequest = request("{}")
      await usedRequest.text()
      for (const read of [abandonedRequest, usedRequest]) {
        const answer = await rest.handler(read)
        assert.strictEqual(answer.status, 500)
        assert.include(
          await answer.text(),
          "mount Dockline before any parser of bodies, such as express.json()"
        )
      }
    }
  )

  it("end with the client that gives them up", async () => {
    const { storage, begun, interrupted } = hanging()
    await using dockline = await open({ storage })
    await using rest = await RestHandler.make(dockline.layer, { authenticator })
    const controller = new AbortController()
    const answer = rest.handler(post("/v1/documents", order, {}, { signal: controller.signal }))
    await begun
    controller.abort()
    await interrupted
    await answer.catch(() => undefined)
  })

  it("in flight are waited for, and later ones answered 503", async () => {
    const { storage, begun, goOn } = hanging()
    await using dockline = await open({ storage })
    const rest = await RestHandler.make(dockline.layer, { authenticator })
    const inFlight = rest.handler(post("/v1/documents", order))
    await begun
    let isDisposed = false
    const disposal = rest.close().then(() => (isDisposed = true))
    const late = await rest.handler(post("/v1/documents", order, { "correlation-id": "late-1" }))
    assert.strictEqual(late.headers.get("correlation-id"), "late-1")
    assert.strictEqual(await codeOf(late), "503 STOPPING")
    assert.isFalse(isDisposed)
    goOn()
    assert.strictEqual((await inFlight).status, 201)
    await disposal
    // The services belong to the façade.
    assert.isTrue((await dockline.shipments({}, wms)).ok)
  })
})

describe("readiness", () => {
  it("D12.3 tells what the storage warns of", async () => {
    const probe = async (warnings: ReadonlyArray<string>) => {
      const storage = Layer.merge(Memory.layer, Layer.succeed(Readiness, Effect.succeed(warnings)))
      await using dockline = await open({ storage })
      await using rest = await RestHandler.make(dockline.layer, { authenticator })
      return (await rest.handler(new Request(`${root}/readyz`))).json()
    }
    assert.deepStrictEqual(await probe(["it is slow"]), { status: "ok", warnings: ["it is slow"] })
    assert.deepStrictEqual(await probe([]), { status: "ok" })
  })
})
