/**
 * The peer: document intake on Fastify 5 and `postgres`, a transaction for each document, over the pure rules of core.
 *
 * It has the one route of the benchmark, for JSON, without idempotency keys, dry runs, the record of documents and XML. It does not pay
 * for what it leaves out; otherwise it answers like the service (`Differential.ts` checks that).
 */
import { decide } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { intakeResult, notesOf, outcome } from "@dockline/core/document/Outcome"
import { changesAnything, noIds } from "@dockline/core/document/Plan"
import { permits } from "@dockline/core/places/Authorize"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import {
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  MalformedDocument
} from "@dockline/core/values/Errors"
import { InternalError } from "@dockline/core/values/RequestErrors"
import { fromMillis } from "@dockline/core/values/Timestamp"
import * as Problem from "@dockline/wire/Problem"
import { Result } from "effect"
import Fastify from "fastify"
import { randomUUID } from "node:crypto"
import postgres from "postgres"
import type { Authenticate } from "./Auth.ts"
import { load, write } from "./Database.ts"
import type { Database, Home } from "./Database.ts"

const bodyLimit = 10 * 1024 * 1024

/** Serialization failures, deadlocks and unique conflicts: another transaction was faster. */
const conflicts = new Set(["40001", "40P01", "23505"])

const readDocument = DocumentInput.reader()

/** The value of a result; its error is thrown, and answered as a problem. */
const valueOf = <A, E>(result: Result.Result<A, E>): A => {
  if (Result.isFailure(result)) throw result.failure
  return result.success
}

/** Creates the server; it does not listen yet. */
export const make = (sql: Database, authenticate: Authenticate) => {
  const app = Fastify({
    logger: false,
    bodyLimit,
    genReqId: ({ headers }) => {
      const id = headers["correlation-id"]
      return typeof id === "string" && id !== "" && id.length <= 128 ? id : randomUUID()
    }
  })
  app.removeContentTypeParser("text/plain")
  const homeOf = homes(sql)

  app.addHook("onRequest", async (request, reply) => {
    reply.header("correlation-id", request.id).header("x-content-type-options", "nosniff")
  })

  app.setErrorHandler((error, _request, reply) => {
    const refusal = refusalOf(error)
    const problem = Problem.problemOf(refusal)
    return reply.code(problem.status).headers(Problem.headersOf(refusal)).type(Problem.mediaType)
      .send(JSON.stringify(problem))
  })

  const submit = async (document: Document) => {
    const home = await homeOf(document)
    for (let attempt = 1;; attempt++) {
      try {
        return await sql.begin(async (transaction) => {
          const now = fromMillis(Date.now())
          const snapshot = await load(transaction, home, document, now)
          const plan = valueOf(decide(document, snapshot))
          const ids = changesAnything(plan) ? await write(transaction, home, plan, now) : noIds(plan)
          const { business, facility } = snapshot
          if (business === null || facility === null) throw new Error("A home has a business and a facility")
          return intakeResult(outcome(snapshot, plan, ids), { business, facility }, notesOf(document, plan))
        })
      } catch (error) {
        if (!(error instanceof postgres.PostgresError) || !conflicts.has(error.code) || attempt > 20) {
          throw error
        }
      }
    }
  }

  app.post("/v1/documents", async (request, reply) => {
    const grants = await authenticate(request.headers.authorization)
    const document = valueOf(readDocument(request.body))
    const { business, facility } = document
    if (!permits({ clientId: "", grants }, "documents:write", { business, facility })) {
      await homeOf(document)
      throw new Forbidden({ permission: "documents:write", business, facility })
    }
    const result = await submit(document)
    if (result.created.length > 0) reply.code(201).header("location", `/v1/shipments/${result.shipment.id}`)
    return reply.header("vary", "accept, prefer").send(result)
  })
  return app
}

/** The ids of a facility and its business by their slugs, which never change; unknown slugs are queried each time. */
const homes = (sql: Database) => {
  const known = new Map<string, Home>()
  return async ({ business, facility }: Document): Promise<Home> => {
    const home = known.get(`${business}/${facility}`)
    if (home !== undefined) return home
    const [found] = await sql<Array<{ businessId: string; facilityId: string | null }>>`
      select b.id as "businessId", f.id as "facilityId" from dockline.business b
      left join dockline.facility f on f.business_id = b.id and f.slug = ${facility} where b.slug = ${business}`
    if (found === undefined) throw new BusinessNotFound({ business })
    const { businessId, facilityId } = found
    if (facilityId === null) throw new FacilityNotFound({ business, facility })
    known.set(`${business}/${facility}`, { businessId, facilityId })
    return { businessId, facilityId }
  }
}

const refusalOf = (error: unknown): CatalogueError => {
  if (error instanceof Error && "category" in error) return error as CatalogueError & Error
  if (error instanceof SyntaxError) {
    return new MalformedDocument({ errors: [{ path: "", detail: error.message }] })
  }
  // The answer does not contain the cause.
  console.error(error)
  return new InternalError({ correlationId: "" })
}
