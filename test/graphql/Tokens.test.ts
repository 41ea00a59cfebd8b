/**
 * Tokens over HTTP, sockets and event streams: missing, forged, foreign, and those that cease to be good while they
 * are in use (D8.6, D8.7, D10).
 */
import type { Grant } from "@dockline/core/Access"
import { graphqlPath, kargoPath } from "@dockline/wire/internal/Path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPair, SignJWT } from "jose"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import { baseUrl, TestServer, tokenRequest } from "../support/TestServer.ts"
import { draft, follow, history } from "./Sample.ts"
import { connected, following, rawSocket, socketClient, Watched } from "./Sockets.ts"

const audience = "http://dockline.test/public_graphql"

const parts = (token: string): readonly [header: string, claims: string, signature: string] =>
  token.split(".") as [string, string, string]

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Headers that are not good, by what is wrong with them; made of a good token. */
const badHeaders = Effect.fnUntraced(function*(token: string) {
  const [header, claims, signature] = parts(token)
  const known = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>
  const kid = (JSON.parse(Buffer.from(header, "base64url").toString()) as { readonly kid: string }).kid
  const stranger = yield* Effect.promise(() => generateKeyPair("RS256"))
  const forged = yield* Effect.promise(() =>
    new SignJWT({ ...known, aud: audience })
      .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid })
      .sign(stranger.privateKey)
  )
  return {
    "none": undefined,
    "empty": "",
    "no scheme": token,
    "Basic": `Basic ${Buffer.from("acme-client:acme-client-secret").toString("base64")}`,
    "not a token": "Bearer acme-client",
    "unsigned": `Bearer ${encode({ alg: "none", typ: "at+jwt", kid })}.${claims}.`,
    "signed by a stranger": `Bearer ${forged}`,
    "other claims": `Bearer ${header}.${encode({ ...known, sub: "tower", client_id: "tower" })}.${signature}`,
    "cut": `Bearer ${token.slice(0, -4)}`,
    "two": `Bearer ${token}, Bearer ${token}`
  }
})

const without = (grants: ReadonlyArray<Grant>, permission: string): ReadonlyArray<Grant> =>
  grants.map((grant) => ({ ...grant, permissions: grant.permissions.filter((each) => each !== permission) }))

const acme = (
  facilities: Grant["facilities"],
  ...permissions: Grant["permissions"]
): ReadonlyArray<Grant> => [
  { business: "acme", facilities, permissions }
]

/** Fails when something takes longer than the 5 s of D8.7. */
const withinFiveSeconds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: "5 seconds",
    orElse: () => Effect.die(new Error("It took more than 5 s"))
  })

layer(layerMemory(), { excludeTestServices: true })("D8.6 tokens", (it) => {
  it.effect("a missing or bad token is 401 with a problem, whatever the method and the body", () =>
    Effect.gen(function*() {
      const { fetch } = yield* GraphqlServer
      const token = yield* (yield* TestServer).token("acme-client")
      const query = `?query=${encodeURIComponent("{ __typename }")}`
      for (const [name, authorization] of Object.entries(yield* badHeaders(token))) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
        for (
          const init of [
            { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{" },
            {
              method: "POST",
              headers: { ...headers, "content-type": "application/json", accept: "text/event-stream" },
              body: JSON.stringify(follow())
            },
            { method: "GET", query, headers }
          ]
        ) {
          const answer = yield* fetch(init, null)
          assert.strictEqual(answer.status, 401, name)
          assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer(?: error="invalid_token",|$)/)
          assert.include(answer.headers.get("content-type"), "application/problem+json")
          assert.deepInclude(JSON.parse(answer.text), {
            type: "about:blank",
            title: "Unauthorized",
            status: 401,
            detail: "missing or invalid bearer token"
          })
        }
      }
    }))

  it.effect("D17.1 a token is asked for with the address of either path, and taken at both and by REST", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      const root = `http://127.0.0.1:${port}`
      for (const path of [graphqlPath, kargoPath]) {
        const statuses = yield* Effect.promise(async () => {
          const asked = { ...tokenRequest("acme-client"), audience: `${baseUrl}${path}` }
          const headers = { "content-type": "application/json" }
          const answer = await fetch(`${root}/oauth/token`, {
            method: "POST",
            headers,
            body: JSON.stringify(asked)
          })
          const { access_token: token } = await answer.json() as { readonly access_token: string }
          const query = `?query=${encodeURIComponent("{ __typename }")}`
          const urls = [`${graphqlPath}${query}`, `${kargoPath}${query}`, "/v1/shipments"]
          return Promise.all(
            urls.map(async (url) =>
              (await fetch(`${root}${url}`, { headers: { authorization: `Bearer ${token}` } })).status
            )
          )
        })
        assert.deepStrictEqual(statuses, [200, 200, 200], path)
      }
    }))

  it.effect("a socket with a missing or bad token is closed with 4403, whatever it sends before", () =>
    Effect.scoped(Effect.gen(function*() {
      const token = yield* (yield* TestServer).token("acme-client")
      for (const [name, authorization] of Object.entries(yield* badHeaders(token))) {
        const payload = authorization === undefined ? {} : { payload: { Authorization: authorization } }
        const raw = yield* rawSocket()
        raw.send({ type: "connection_init", ...payload })
        assert.strictEqual((yield* raw.closed).code, 4403, name)
        assert.deepStrictEqual(raw.frames, [])
      }
      const early = yield* rawSocket({ authorization: `Bearer ${token}` })
      early.send({ id: "1", type: "subscribe", payload: follow() })
      assert.strictEqual((yield* early.closed).code, 4401)
    })))

  it.effect("the token of a socket may come in the header of its upgrade, or under any case of its name", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append } = yield* GraphqlServer
      const authorization = `Bearer ${yield* (yield* TestServer).token("acme-client")}`
      const [message] = yield* append(draft())
      const header = yield* rawSocket({ authorization })
      header.send({ type: "connection_init" })
      const payload = yield* rawSocket()
      payload.send({ type: "connection_init", payload: { AUTHORIZATION: authorization } })
      for (const raw of [header, payload]) {
        yield* raw.frame("connection_ack", ({ type }) => type === "connection_ack")
        raw.send({ id: "1", type: "subscribe", payload: follow({ afterId: message!.id - 1 }) })
        yield* raw.frame("a message", ({ type }) => type === "next")
      }
    })))

  // @threat asking.5
  it.effect("D10.3 a withdrawn permission and a disabled client end what follows it, with 4403 within 5 s", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append, change } = yield* GraphqlServer
      const server = yield* TestServer
      // Others of the same client stay: one follows what it may read still, one follows nothing.
      const [whole, east, idle] = [yield* socketClient(), yield* socketClient(), yield* connected()]
      const disabled = yield* socketClient("globex-client")
      const withdrawn = yield* socketClient("acme-east-client")
      const [first] = yield* append(draft(), draft({ business: "globex", facility: "main" }))
      const afterId = first!.id - 1
      const followed = {
        whole: following(whole, follow({ afterId })),
        east: following(east, follow({ afterId, facilitySlug: "east" })),
        withdrawn: following(withdrawn, follow({ afterId, facilitySlug: "east" })),
        disabled: following(disabled, follow({ afterId, businessSlug: "globex" }))
      }
      for (const each of Object.values(followed)) yield* each.reach(first!.id)

      yield* Effect.acquireRelease(
        Effect.all([
          change("acme-client", { grants: acme(["east"], "messages:read") }),
          change("acme-east-client", {
            grants: without(acme(["east"], "documents:write", "messages:read"), "messages:read")
          }),
          change("globex-client", { enabled: false })
        ]),
        () =>
          Effect.all([
            change("acme-client", { grants: acme("*", "documents:write", "messages:read") }),
            change("acme-east-client", { grants: acme(["east"], "documents:write", "messages:read") }),
            change("globex-client", { enabled: true }),
            server.advance(5000)
          ])
      )
      const ends = yield* withinFiveSeconds(
        Effect.all([followed.whole.over, followed.withdrawn.over, followed.disabled.over], {
          concurrency: "unbounded"
        })
      )
      assert.deepStrictEqual(
        ends.map((end) => end === "completed" || !("closed" in end) ? end : end.closed.code),
        [
          4403,
          4403,
          4403
        ]
      )
      const [last] = yield* append(draft(), draft({ facility: "west" }))
      yield* followed.east.reach(last!.id)
      idle.send({ type: "ping" })
      yield* idle.frame("pong", ({ type }) => type === "pong")
      assert.deepStrictEqual(followed.whole.received.map(({ id }) => id), [first!.id])
      // On the socket that stays, what it may not read any more is refused.
      idle.send({ id: "1", type: "subscribe", payload: follow() })
      const refusal = yield* idle.frame("a refusal", ({ id }) => id === "1")
      assert.strictEqual(refusal.type, "error")
    })))

  it.effect("D8.7 a token that expires ends its socket with 4403 within 5 s, and its event stream with an error", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append, url } = yield* GraphqlServer
      const server = yield* TestServer
      const authorization = `Bearer ${yield* server.token("acme-client")}`
      const [first] = yield* append(draft())
      const followed = following(yield* socketClient(), follow({ afterId: first!.id - 1 }))
      yield* followed.reach(first!.id)
      const aborting = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const response = yield* Effect.promise(() =>
        fetch(url, {
          method: "POST",
          signal: aborting.signal,
          headers: { authorization, "content-type": "application/json", accept: "text/event-stream" },
          body: JSON.stringify(follow({ afterId: first!.id - 1 }))
        })
      )
      assert.strictEqual(response.status, 200)
      const read = Effect.promise(() => response.text())
      yield* server.advance(86_400_000)
      const [end, events] = yield* withinFiveSeconds(
        Effect.all([followed.over, read], { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(end, {
        closed: { code: 4403, reason: "The token has expired; get another, and resume with afterId" }
      })
      assert.include(events, `"id":${first!.id},`)
      assert.include(events, "\"code\":\"UNAUTHENTICATED\"")
      assert.match(events, /event: complete\ndata:\s*$/)
      // The old token is of no use any more; a new one is.
      const { execute, fetch: send } = yield* GraphqlServer
      const query = `?query=${encodeURIComponent("{ __typename }")}`
      const old = yield* send({ method: "GET", query, headers: { authorization } }, null)
      assert.strictEqual(old.status, 401)
      assert.strictEqual((yield* execute(history())).status, 200)
    })))

  it.effect("D8.7 graphql-ws' client connects again by itself with a new token, and goes on", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append } = yield* GraphqlServer
      const server = yield* TestServer
      const context = yield* Effect.context<never>()
      const watched = new Watched()
      let connections = 0
      const client = yield* socketClient("acme-client", {
        retryAttempts: 3,
        retryWait: () => Promise.resolve(),
        connectionParams: async () => {
          connections++
          watched.changed()
          const token = await Effect.runPromiseWith(context)(server.token("acme-client"))
          return { Authorization: `Bearer ${token}` }
        }
      })
      const [first] = yield* append(draft())
      const followed = following(client, follow({ afterId: first!.id - 1 }))
      yield* followed.reach(first!.id)
      yield* server.advance(86_400_000)
      const [second] = yield* append(draft())
      yield* followed.reach(second!.id)
      yield* watched.until("a second connection", () => connections > 1 ? true : undefined)
      const [last] = yield* append(draft())
      yield* followed.reach(last!.id)
      assert.strictEqual(connections, 2)
    })))
})
