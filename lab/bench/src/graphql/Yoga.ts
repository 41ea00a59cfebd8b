/**
 * Peer: GraphQL Yoga on `node:http`, with `graphql-ws` in its documented integration for subscriptions. One cursor over our log feeds
 * them through Yoga's own publisher.
 */
import type { Grant } from "@dockline/core/access/Access"
import type { Message } from "@dockline/core/messages/Message"
import { Unauthenticated } from "@dockline/core/values/Errors"
import type { ServerOptions } from "graphql-ws"
import { useServer } from "graphql-ws/use/ws"
import { createGraphQLError, createPubSub, createSchema, createYoga } from "graphql-yoga"
import { setMaxListeners } from "node:events"
import { createServer } from "node:http"
import { WebSocketServer } from "ws"
import type { Authenticate } from "../peer/Auth.ts"
import type { Log } from "./Log.ts"
import { resolversOf, typeDefs } from "./PeerSchema.ts"
import type { PeerContext } from "./PeerSchema.ts"
import { path } from "./Workload.ts"

/** The arguments of an operation, with Yoga's own functions, as in the documented integration. */
type Execute = NonNullable<ServerOptions["execute"]>
type Subscribe = NonNullable<ServerOptions["subscribe"]>
type Enveloped = Parameters<Execute>[0] & { readonly execute: Execute; readonly subscribe: Subscribe }

interface Filter {
  readonly filter: { readonly businessSlug: string }
}

type Topics = { pushMessage: [business: string, message: Message] }

/** The context of a request over a WebSocket; a request over HTTP has Yoga's own. */
interface Incoming {
  readonly grants?: ReadonlyArray<Grant>
  readonly request?: Request
}

const unauthenticated = (error: unknown) =>
  error instanceof Unauthenticated
    ? createGraphQLError(error.message, { extensions: { code: "UNAUTHENTICATED", http: { status: 401 } } })
    : error

/** Starts it. */
export const start = async (port: number, log: Log, authenticate: Authenticate) => {
  const eventTarget = new EventTarget()
  // Node reports more than ten listeners as a leak; here there are a thousand subscribers.
  setMaxListeners(0, eventTarget)
  const published = createPubSub<Topics>({ eventTarget })
  await log.tail((message) => published.publish("pushMessage", message.business, message))

  const contextOf = async ({ grants, request }: Incoming): Promise<PeerContext> => ({
    grants: grants ??
      await authenticate(request?.headers.get("authorization") ?? undefined).catch((error) => {
        throw unauthenticated(error)
      })
  })

  const yoga = createYoga({
    schema: createSchema({
      typeDefs,
      resolvers: {
        ...resolversOf(log),
        Subscription: {
          pushMessage: {
            subscribe: async (_source: unknown, { filter }: Filter, { grants }: PeerContext) => {
              await log.authorize(grants)
              return published.subscribe("pushMessage", filter.businessSlug)
            },
            resolve: (message: Message) => message
          }
        }
      }
    }),
    context: contextOf,
    graphqlEndpoint: path,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false
  })

  const server = createServer((request, response) => void yoga(request, response))
  useServer({
    onConnect: async ({ connectionParams, extra }) => {
      const header = connectionParams?.["Authorization"]
      const grants = await authenticate(typeof header === "string" ? header : undefined).catch(() =>
        undefined
      )
      Object.assign(extra, { grants })
      return grants !== undefined
    },
    execute: (args) => (args as Enveloped).execute(args),
    subscribe: (args) => (args as Enveloped).subscribe(args),
    onSubscribe: async (context, _id, params) => {
      const { contextFactory, execute, parse, schema, subscribe, validate } = yoga.getEnveloped({
        ...context,
        grants: (context.extra as object as Incoming).grants,
        req: context.extra.request,
        socket: context.extra.socket,
        params
      })
      const document = parse(params.query)
      const errors = validate(schema, document)
      if (errors.length > 0) return errors
      return {
        schema,
        operationName: params.operationName,
        document,
        variableValues: params.variables,
        contextValue: await contextFactory(),
        execute,
        subscribe
      }
    }
  }, new WebSocketServer({ server, path }))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
}
