/**
 * Tenant isolation over GraphQL: a client with all permissions at one business learns and changes nothing of another, by any field of the
 * schema, over HTTP, event streams and web sockets, and by uploads in both forms. Every field belongs to a declared operation or has its
 * probes here.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { GraphQLSchema } from "graphql"
import * as Sample from "../../graphql/Sample.ts"
import { errorsOf, rawSocket } from "../../graphql/Sockets.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { GraphqlServer, layerPostgres } from "../../support/GraphqlServer.ts"
import type { Answer, Operation, Result } from "../../support/GraphqlServer.ts"
import { once, unique } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { methods, operations, probesOf } from "./Asked.ts"
import { documentOf } from "./Doors.ts"
import { everythingAtGlobex, graphql, makeVictim, mark, stateOf } from "./Intruder.ts"
import type { Victim } from "./Intruder.ts"

/** An operation, and its refusal; none if the answer is what the intruder itself may see. */
type Probe = readonly [operation: Operation, refusal: string | RegExp | undefined]

type Probes = (victim: Victim, schema: GraphQLSchema) => ReadonlyArray<Probe>

const field = (text: string): Operation => ({ query: `{ ${text} }` })

/** The intruder's own shipment does not matter here: the tests over REST show that the handlers refuse data of another shipment. */
const ofOperations: Readonly<Record<string, Probes>> = Object.fromEntries(
  methods.map((method) => [
    operations[method].name,
    (victim, schema) =>
      probesOf(method, victim, { id: victim.id + 1000 }).map(([given, refusal]) => [
        { query: documentOf(schema, method, given) },
        refusal
      ])
  ])
)

/** The intruder's requests for fields without an operation of their own. */
const others: Readonly<Record<string, Probes>> = {
  "Query.business": () => [[field(`business(slug: "acme") { name facilities { name docks } }`), "FORBIDDEN"]],
  "Query.facility": () => [
    [field(`facility(business: "acme", slug: "west") { name docks }`), "FORBIDDEN"],
    [field(`facility(business: "globex", slug: "west") { name docks }`), "FACILITY_NOT_FOUND"]
  ],
  "Query.pushMessages": ({ messageId }) => [
    [Sample.history({ facilitySlug: "west", afterId: messageId - 1 }), "FORBIDDEN"],
    [Sample.history({ businessSlug: "globex", afterId: messageId }), "CURSOR_AHEAD"],
    [Sample.history({ businessSlug: "globex", afterId: 0 }), undefined]
  ],
  "Subscription.pushMessage": ({ messageId }) => [
    [Sample.follow({ afterId: messageId - 1 }), "FORBIDDEN"],
    [Sample.follow({ facilitySlug: "west", afterId: messageId - 1 }), "FORBIDDEN"],
    [Sample.follow({ businessSlug: "globex", facilitySlug: "west", afterId: 0 }), "FACILITY_NOT_FOUND"]
  ]
}

const probes = { ...ofOperations, ...others }

/** An id that no entity has. */
const nobodys = 999_999_999

/**
 * The content of an answer, whichever of the ids was in the request: both ids are cut out, because other numbers may contain their digits,
 * and so are the positions in the text of the operation.
 */
const saying = ({ text }: Answer, { id }: Victim): string =>
  text.replaceAll(/"locations":\[[^\]]*\],/g, "").replaceAll(String(nobodys), "{id}").replaceAll(
    String(id),
    "{id}"
  )

const reasonsOf = ({ errors }: Result): ReadonlyArray<string | undefined> =>
  (errors ?? []).map(({ extensions }) => extensions.reason)

const checkReasons = (answer: Result, refusal: string | RegExp | undefined, what: string): void => {
  const reasons = reasonsOf(answer)
  assert.lengthOf(reasons, refusal === undefined ? 0 : 1, what)
  if (refusal !== undefined) assert.match(reasons[0] ?? "", new RegExp(refusal), what)
}

/** The intruder's requests, in each way. */
const overHttp = (as: RequestOptions, operation: Operation) => graphql(as, operation)

const overEvents = (as: RequestOptions, operation: Operation) =>
  Effect.map(graphql(as, operation, "text/event-stream"), ({ text }): Result & { readonly text: string } => {
    const data = text.split("\n").find((line) => line.startsWith("data:") && line.length > 6)
    return { ...(JSON.parse(data?.slice(5) ?? "{}") as Result), text }
  })

const overSocket = (as: RequestOptions, operation: Operation) =>
  Effect.scoped(Effect.gen(function*() {
    const raw = yield* rawSocket()
    raw.send({ type: "connection_init", payload: as.headers })
    yield* raw.frame("connection_ack", ({ type }) => type === "connection_ack")
    raw.send({ id: "1", type: "subscribe", payload: operation })
    const frame = yield* raw.frame("an answer", ({ id, type }) => id === "1" && type !== "complete")
    const result: Result = frame.type === "error" ? { errors: errorsOf(frame) } : frame.payload as Result
    return { ...result, text: JSON.stringify(raw.frames) }
  }))

const ways = { "HTTP": overHttp, "an event stream": overEvents, "a web socket": overSocket }

/** The two forms of an upload of a document. */
const uploads = (document: object): ReadonlyArray<FormData> => {
  const file = new File([JSON.stringify(document)], "order.json", { type: "application/json" })
  const formOf = (...parts: ReadonlyArray<readonly [string, string | File]>) => {
    const form = new FormData()
    for (const [name, value] of parts) form.append(name, value)
    return form
  }
  const operations = JSON.stringify(Sample.upload())
  return [
    formOf(["operations", operations], ["map", `{"0":["variables.input.file"]}`], ["0", file]),
    formOf(["operations", operations], ["input.file", file])
  ]
}

/** The intruder, and the victim in its initial state. */
const makeScene = Effect.gen(function*() {
  const { engine: { schema } } = yield* GraphqlServer
  const { as } = yield* makeClient(everythingAtGlobex)
  const victim = yield* makeVictim
  return { as, schema, victim, before: yield* stateOf(victim) }
})

/** An answer without the texts of the request, which the intruder knows. */
const withoutKnown = (text: string, { lpn, palletId }: Victim): string =>
  text.replaceAll(lpn, "").replaceAll(palletId, "")

layer(layerPostgres({ vault }), { excludeTestServices: true })(
  "tenant isolation over GraphQL",
  (it) => {
    const scene = once(makeScene)

    // @threat tenants.2
    it.effect("every field of the schema is of a declared operation, or has its probes", () =>
      Effect.gen(function*() {
        const { schema } = yield* scene
        const fieldsOf = (type: ReturnType<typeof schema.getQueryType>) => Object.keys(type!.getFields())
        const known = new Set([
          ...methods.map((method) => `Query.${method}`),
          ...methods.map((method) => `Mutation.${operations[method].name}`),
          ...Object.keys(others),
          // Covered below, in both forms.
          "Mutation.uploadDocument"
        ])
        const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
          .flatMap((type) => fieldsOf(type).map((name) => `${type!.name}.${name}`))
        assert.deepStrictEqual(fields.filter((field) => !known.has(field)), [])
      }))

    for (const [name, given] of Object.entries(probes)) {
      for (const [way, send] of Object.entries(ways)) {
        if (name.startsWith("Subscription") && way === "HTTP") continue
        // @threat tenants.3
        it.effect(`${name} over ${way} shows and changes nothing of another business`, () =>
          Effect.gen(function*() {
            const { as, before, schema, victim } = yield* scene
            for (const [operation, refusal] of given(victim, schema)) {
              const answer = yield* send(as, operation)
              const what = `${JSON.stringify(operation)}: ${answer.text}`
              checkReasons(answer, refusal, what)
              assert.notInclude(withoutKnown(answer.text, victim), mark, what)
              assert.notInclude(answer.text, `"id":${victim.id},`, what)
            }
            assert.deepStrictEqual(yield* stateOf(victim), before)
          }))
      }

      // @threat tenants.6
      it.effect(`${name} answers to an id of another business as to one that nobody has`, () =>
        Effect.gen(function*() {
          const { as, schema, victim } = yield* scene
          const unknown = given({ ...victim, id: nobodys }, schema)
          for (const [at, [operation, refusal]] of given(victim, schema).entries()) {
            if (refusal !== "SHIPMENT_NOT_FOUND") continue
            const foreign = yield* graphql(as, operation)
            const nowhere = yield* graphql(as, unknown[at]![0])
            assert.strictEqual(saying(foreign, victim), saying(nowhere, victim))
          }
        }))
    }

    // @threat tenants.3
    it.effect("Mutation.uploadDocument in both forms writes nothing at another business", () =>
      Effect.gen(function*() {
        const { fetch } = yield* GraphqlServer
        const { as, before, victim } = yield* scene
        const there = Sample.document(victim.number, { facility: "west" })
        const here = { ...there, business: "globex", facility: "main", dockSlug: "D1" }
        for (const [document, refusal] of [[there, "FORBIDDEN"], [here, undefined]] as const) {
          for (const body of uploads(document)) {
            const answer: Answer = yield* fetch(
              { method: "POST", body, headers: { accept: "application/json", ...as.headers } },
              null
            )
            checkReasons(answer, refusal, answer.text)
            assert.notInclude(answer.text, mark)
          }
        }
        assert.deepStrictEqual(yield* stateOf(victim), before)
      }))

    // @threat tenants.7
    it.effect("an Idempotency-Key of another client answers nothing of it", () =>
      Effect.gen(function*() {
        const { fetch } = yield* GraphqlServer
        const { as } = yield* makeClient(everythingAtGlobex)
        const operation = JSON.stringify(
          Sample.submit(Sample.document(unique("O"), { facility: "west", carrier: `${mark} carrier` }))
        )
        const headers = {
          "content-type": "application/json",
          accept: "application/json",
          "idempotency-key": unique("key")
        }
        const first = yield* fetch({ method: "POST", headers, body: operation })
        assert.include(first.text, mark)
        const stolen = yield* fetch(
          { method: "POST", headers: { ...headers, ...as.headers }, body: operation },
          null
        )
        assert.deepStrictEqual(reasonsOf(stolen), ["FORBIDDEN"])
        assert.notInclude(stolen.text, mark)
        assert.isFalse(stolen.headers.has("idempotency-replayed"))
      }))
  }
)
