/**
 * The client libraries that customers use, each with a query, a mutation and a subscription (D8.3).
 */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client/core"
import { GraphQLWsLink } from "@apollo/client/link/subscriptions"
import { payloadOf } from "@dockline/core/messages/Message"
import { assert, layer } from "@effect/vitest"
import { Client, createRequest, fetchExchange, subscriptionExchange } from "@urql/core"
import { Deferred, Effect } from "effect"
import { OperationTypeNode } from "graphql"
import { createClient as createSseClient } from "graphql-sse"
import type { Client as SocketClient } from "graphql-ws"
import { document, draft, follow, history, submit } from "../graphql/Sample.ts"
import type { FollowData, HistoryData, Shown } from "../graphql/Sample.ts"
import { socketClient, Watched } from "../graphql/Sockets.ts"
import { GraphqlServer, layerPostgres } from "../support/GraphqlServer.ts"
import type { Operation } from "../support/GraphqlServer.ts"
import { TestServer, unique } from "../support/TestServer.ts"

interface SubmitData {
  readonly submitDocument: { readonly shipment: { readonly id: number; readonly shipmentNumber: string } }
}

/** A client library's way to run the three kinds of operations. */
interface Library {
  readonly query: <Data>(operation: Operation) => Promise<Data>
  readonly mutate: <Data>(operation: Operation) => Promise<Data>
  /** Subscribes; returns the function that stops the subscription. */
  readonly subscribe: (operation: Operation, next: (message: Shown) => void) => () => void
}

interface Connections {
  readonly url: string
  readonly authorization: string
  readonly sockets: SocketClient
}

const apollo = ({ url, authorization, sockets }: Connections): Library => {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: url, headers: { authorization } })
    )
  })
  return {
    query: async <Data>({ query, variables }: Operation) => {
      const { data } = await client.query({ query: gql(query), variables: { ...variables } })
      return data as Data
    },
    mutate: async <Data>({ query, variables }: Operation) => {
      const { data } = await client.mutate({ mutation: gql(query), variables: { ...variables } })
      return data as Data
    },
    subscribe: ({ query, variables }, next) => {
      const subscription = client
        .subscribe<FollowData>({ query: gql(query), variables: { ...variables } })
        .subscribe(({ data }) => next(data!.pushMessage))
      return () => subscription.unsubscribe()
    }
  }
}

const urql = (
  { url, authorization }: Connections,
  exchange: ReturnType<typeof subscriptionExchange>
): Library => {
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization } },
    exchanges: [exchange, fetchExchange]
  })
  const dataOf = <Data>(
    { data, error }: { readonly data?: Data | undefined; readonly error?: Error | undefined }
  ) => {
    if (error !== undefined) throw error
    return data!
  }
  return {
    query: async <Data>({ query, variables }: Operation) =>
      dataOf(await client.query<Data>(query, { ...variables }).toPromise()),
    mutate: async <Data>({ query, variables }: Operation) =>
      dataOf(await client.mutation<Data>(query, { ...variables }).toPromise()),
    subscribe: ({ query, variables }, next) =>
      client.executeSubscription<FollowData>(createRequest(query, { ...variables }))
        .subscribe((result) => next(dataOf(result).pushMessage)).unsubscribe
  }
}

/** A result in the types of urql. */
const resultOf = ({ data, errors }: {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined
  readonly errors?: ReadonlyArray<object> | undefined
}) => ({ data: data ?? null, ...(errors === undefined ? {} : { errors: [...errors] }) })

/** Over `graphql-ws`, as the documentation of both libraries has it. */
const urqlOverSocket = (connections: Connections): Library =>
  urql(
    connections,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: connections.sockets.subscribe(
            { query: query ?? "", variables: variables ?? {} },
            { ...sink, next: (result) => sink.next(resultOf(result)) }
          )
        })
      })
    })
  )

/** Over `graphql-sse`. */
const urqlOverEvents = (connections: Connections): Library => {
  const { url, authorization } = connections
  const events = createSseClient({ url, headers: { authorization }, retryAttempts: 0 })
  return urql(
    connections,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: events.subscribe(
            { query: query ?? "", variables: variables ?? {} },
            { ...sink, next: (result) => sink.next(resultOf(result)) }
          )
        })
      })
    })
  )
}

/** Everything over the socket. */
const overSocket = ({ sockets }: Connections): Library => {
  const once = <Data>({ query, variables }: Operation) =>
    new Promise<Data>((resolve, reject) => {
      let found: Data | null | undefined
      sockets.subscribe<Data>({ query, variables: { ...variables } }, {
        next: ({ data, errors }) => {
          if (errors !== undefined) reject(new Error(JSON.stringify(errors)))
          found = data
        },
        error: reject,
        complete: () => resolve(found!)
      })
    })
  return {
    query: once,
    mutate: once,
    subscribe: ({ query, variables }, next) =>
      sockets.subscribe<FollowData>({ query, variables: { ...variables } }, {
        next: ({ data }) => next(data!.pushMessage),
        error: (error) => {
          throw error
        },
        complete: () => undefined
      })
  }
}

const libraries: ReadonlyArray<readonly [string, (connections: Connections) => Library]> = [
  ["Apollo Client 4 with HttpLink and GraphQLWsLink", apollo],
  ["urql with subscriptionExchange over graphql-ws", urqlOverSocket],
  ["urql with subscriptionExchange over graphql-sse", urqlOverEvents],
  ["graphql-ws", overSocket]
]

layer(layerPostgres(), { excludeTestServices: true })("D8.3 clients", (it) => {
  for (const [name, make] of libraries) {
    it.effect(`${name}: query, mutation, and a subscription that joins history and live`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { url, append } = yield* GraphqlServer
        const authorization = `Bearer ${yield* (yield* TestServer).token("acme-client")}`
        const library = make({ url, authorization, sockets: yield* socketClient() })
        const orderNumber = unique("O")

        const { submitDocument } = yield* Effect.promise(() =>
          library.mutate<SubmitData>(submit(document(orderNumber)))
        )
        assert.strictEqual(submitDocument.shipment.shipmentNumber, orderNumber)

        const [before] = yield* append(draft())
        const past = yield* append(draft({ payload: { direction: "LOADING", text: "Grüße ✓" } }), draft())
        const { pushMessages } = yield* Effect.promise(() =>
          library.query<HistoryData>(history({ afterId: before!.id }))
        )
        assert.deepStrictEqual(pushMessages.map(({ id }) => id), past.map(({ id }) => id))
        assert.deepStrictEqual(pushMessages[0]!.message, payloadOf(past[0]!))

        const received: Array<Shown> = []
        const watched = new Watched()
        const reached = (count: number) =>
          watched.until(`${count} messages`, () => received.length >= count ? received : undefined)
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            library.subscribe(follow({ afterId: before!.id }), (message) => {
              received.push(message)
              watched.changed()
            })
          ),
          (stop) => Effect.sync(stop)
        )
        yield* reached(2)
        const live = yield* append(draft(), draft({ facility: "west" }))
        yield* reached(4)
        assert.deepStrictEqual(received.map(({ id }) => id), [...past, ...live].map(({ id }) => id))
        assert.deepInclude(received[0], pushMessages[0])
      })))
  }

  it.effect("graphql-sse: a refused subscription is an error, and an abort ends the stream", () =>
    Effect.gen(function*() {
      const { url, append } = yield* GraphqlServer
      const authorization = `Bearer ${yield* (yield* TestServer).token("acme-client")}`
      const client = createSseClient({ url, headers: { authorization }, retryAttempts: 0 })
      const { query, variables } = follow({ businessSlug: "globex" })
      const refused = yield* Effect.promise(async () => {
        const results = []
        for await (const each of client.iterate({ query, variables: { ...variables } })) results.push(each)
        return results
      })
      assert.deepStrictEqual(refused.map(({ errors }) => errors?.[0]?.extensions?.["code"]), ["FORBIDDEN"])
      const first = yield* Deferred.make<FollowData>()
      const ended = yield* Deferred.make<void>()
      const followed = follow({ afterId: 0 })
      yield* append(draft())
      const stop = client.subscribe<FollowData>({
        query: followed.query,
        variables: { ...followed.variables }
      }, {
        next: ({ data }) => Deferred.doneUnsafe(first, Effect.succeed(data!)),
        error: (error) => Deferred.doneUnsafe(ended, Effect.die(error)),
        complete: () => Deferred.doneUnsafe(ended, Effect.void)
      })
      yield* Deferred.await(first)
      stop()
      yield* Deferred.await(ended)
    }))
})
