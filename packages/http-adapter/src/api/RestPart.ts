/** What a capability has of the REST interface beside what derives from its operations (ADR 31). */
import type { HttpApiGroup } from "effect/http-api"

/** An example of a body, and the name of its schema. */
export interface BodyExample {
  readonly schema: string
  readonly value: object
}

/** An example of what a request sends, in JSON and in XML. */
export interface RequestText extends BodyExample {
  /** The purpose of the body, in a sentence. */
  readonly description: string
  readonly name: string
  readonly summary: string
}

/** Endpoints of a capability beside those of its operations. */
export interface RestPart {
  /** The name of the capability. */
  readonly name: string
  /** The endpoints, which need a bearer token. */
  readonly group: HttpApiGroup.Constraint
  /** Examples of requests, by the names of the endpoints. */
  readonly requests: Readonly<Record<string, RequestText>>
  /** Examples of answers with the status 200, by the names of the endpoints. */
  readonly answers: Readonly<Record<string, BodyExample>>
}
