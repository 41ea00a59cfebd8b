/**
 * The peer: document intake by the same rules, written by hand on Fastify 5 and `postgres`.
 *
 * It has the one route of the benchmark, for JSON, without idempotency keys, dry runs and XML. What it leaves out it
 * does not pay for; what it does, it answers as the service does (`Differential.ts` holds the two together).
 */
import Fastify from "fastify"
import type { FastifyError, FastifyReply } from "fastify"
import { randomUUID } from "node:crypto"
import postgres from "postgres"
import { answer } from "./Answer.ts"
import { makeAuthenticate, maySubmit } from "./Auth.ts"
import type { AuthConfig, Grant } from "./Auth.ts"
import { load, write } from "./Database.ts"
import type { Database, Home } from "./Database.ts"
import { decide, writesAnything } from "./Decide.ts"
import { read } from "./Document.ts"
import type { DocumentBody } from "./Document.ts"
import type { Document } from "./Model.ts"
import { invalid, Problem } from "./Problems.ts"
import { documentSchema, formats } from "./RequestSchema.ts"
import { resultSchema } from "./ResponseSchema.ts"

declare module "fastify" {
  interface FastifyRequest {
    grants: ReadonlyArray<Grant>
  }
}

const bodyLimit = 10 * 1024 * 1024

/** Serialization failures, deadlocks and unique conflicts: another transaction was faster. */
const conflicts = new Set(["40001", "40P01", "23505"])

/** Makes the server; it does not listen yet. */
export const make = async (sql: Database, auth: AuthConfig) => {
  const app = Fastify({
    logger: false,
    bodyLimit,
    genReqId: ({ headers }) => {
      const id = headers["correlation-id"]
      return typeof id === "string" && id !== "" && id.length <= 128 ? id : randomUUID()
    },
    ajv: {
      customOptions: {
        allErrors: true,
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allowUnionTypes: true,
        formats
      }
    }
  })
  app.removeContentTypeParser("text/plain")
  const authenticate = await makeAuthenticate(sql, auth)
  const homeOf = homes(sql)

  app.decorateRequest("grants")
  app.addHook("onRequest", async (request, reply) => {
    reply.header("correlation-id", request.id).header("x-content-type-options", "nosniff")
    request.grants = await authenticate(request.headers.authorization)
  })

  app.setErrorHandler((error: FastifyError | Problem, _request, reply) => respond(reply, toProblem(error)))

  const submit = async (document: Document) => {
    const home = await homeOf(document.business, document.facility)
    for (let attempt = 1;; attempt++) {
      try {
        return await sql.begin(async (transaction) => {
          const now = new Date()
          const snapshot = await load(transaction, home, document)
          const plan = decide(document, snapshot, now)
          const ids = writesAnything(plan)
            ? await write(transaction, home, plan, now)
            : { shipment: plan.shipment.id!, orders: [], items: [] }
          return answer(plan, ids, snapshot.place)
        })
      } catch (error) {
        if (!(error instanceof postgres.PostgresError) || !conflicts.has(error.code) || attempt > 20) {
          throw error
        }
      }
    }
  }

  app.post<{ Body: DocumentBody }>(
    "/v1/documents",
    { schema: { body: documentSchema, response: { 200: resultSchema, 201: resultSchema } } },
    async (request, reply) => {
      const document = read(request.body)
      const { business, facility } = document
      if (!maySubmit(request.grants, business, facility)) {
        await homeOf(business, facility)
        const where = `business=${business}, facility=${facility}`
        throw new Problem(403, "FORBIDDEN", `The client lacks the permission documents:write for ${where}`)
      }
      const result = await submit(document)
      if (result.created.length > 0) reply.code(201).header("location", `/v1/shipments/${result.shipment.id}`)
      return reply.header("vary", "accept, prefer").send(result)
    }
  )
  return app
}

/** The ids of a facility and its business by their slugs, which never change; unknown ones are asked for again each time. */
const homes = (sql: Database) => {
  const known = new Map<string, Home>()
  return async (business: string, facility: string): Promise<Home> => {
    const home = known.get(`${business}/${facility}`)
    if (home !== undefined) return home
    const [found] = await sql<
      Array<{ id: string; facilityId: string | null }>
    >`select b.id, f.id as facility_id from dockline.business b
      left join dockline.facility f on f.business_id = b.id and f.slug = ${facility} where b.slug = ${business}`
    if (found === undefined) throw new Problem(404, "BUSINESS_NOT_FOUND", `Unknown business: ${business}`)
    const { facilityId, id: businessId } = found
    if (facilityId === null) {
      const detail = `Unknown facility: ${facility} of business ${business}`
      throw new Problem(404, "FACILITY_NOT_FOUND", detail)
    }
    known.set(`${business}/${facility}`, { businessId, facilityId })
    return { businessId, facilityId }
  }
}

const respond = (reply: FastifyReply, problem: Problem) => {
  if (problem.status === 401) reply.header("www-authenticate", "Bearer")
  return reply.code(problem.status).type("application/problem+json").send(JSON.stringify(problem.body))
}

const toProblem = (error: FastifyError | Problem): Problem => {
  if (error instanceof Problem) return error
  if (error.validation !== undefined) {
    const isMalformed = error.validation.some(({ keyword }) =>
      keyword === "type" || keyword === "additionalProperties"
    )
    return invalid(
      isMalformed ? 400 : 422,
      error.validation.map(({ instancePath, keyword, message, params }) => ({
        path: faultPath(
          instancePath,
          keyword === "required" ? params["missingProperty"] : params["additionalProperty"]
        ),
        detail: message ?? keyword
      }))
    )
  }
  switch (error.statusCode) {
    case 413:
      return new Problem(413, "PAYLOAD_TOO_LARGE", `The body is larger than ${bodyLimit} bytes`)
    case 415:
      return new Problem(415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json")
    case 400:
      return invalid(400, [{ path: "", detail: error.message }])
    default:
      return new Problem(500, "INTERNAL_ERROR", "The service failed to process the request")
  }
}

/** `/items/2/quantity` as `items[2].quantity`. */
const faultPath = (pointer: string, property: unknown): string =>
  [...pointer.split("/").slice(1), ...(typeof property === "string" ? [property] : [])].reduce(
    (path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`),
    ""
  )
