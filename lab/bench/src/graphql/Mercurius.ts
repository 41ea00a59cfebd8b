/**
 * Peer: mercurius on Fastify, with its cache of parsed and validated documents, and its JIT compiler on or off.
 */
import Fastify from "fastify"
import mercurius from "mercurius"
import type { IResolvers } from "mercurius"
import type { Authenticate } from "../peer/Auth.ts"
import { Problem } from "../peer/Problems.ts"
import type { Log } from "./Log.ts"
import { resolversOf, typeDefs } from "./PeerSchema.ts"
import { path } from "./Workload.ts"

/** Starts it. `jit`: after how many requests a document is compiled, 0 for never. */
export const start = async (port: number, log: Log, authenticate: Authenticate, jit: number) => {
  const app = Fastify({ logger: false })
  app.decorateRequest("grants")
  // Answered here: what a hook throws, mercurius' own route turns into an error of GraphQL with status 200.
  app.addHook("onRequest", async (request, reply) => {
    try {
      request.grants = await authenticate(request.headers.authorization)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return reply.code(error.status).type("application/problem+json").send(JSON.stringify(error.body))
    }
  })
  // Their type knows scalars as instances of `GraphQLScalarType` only; their code copies whatever functions there are.
  const resolvers = resolversOf(log) as object as IResolvers
  await app.register(mercurius, {
    schema: typeDefs.replace(/type Subscription .*\n/, ""),
    resolvers,
    context: ({ grants }) => ({ grants }),
    path,
    graphiql: false,
    jit
  })
  await app.listen({ host: "127.0.0.1", port })
}
