/** What a capability has of the REST interface beside what derives from its operations (ADR 31). */
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** An example of a body, and the name of its schema. */
export interface BodyExample {
  readonly schema: string
  readonly value: object
}

/** An example of a body that is a text of a media type of its own. */
export interface TextExample {
  readonly contentType: string
  readonly text: string
}

/** An example of an answer that is a text, or JSON where the client asks for that. */
export interface TextAnswer extends TextExample {
  readonly json: {
    readonly schema: string
    /** The example, made of those of the answers of the capability. */
    readonly valueOf: (answers: Readonly<Record<string, unknown>>) => object
  }
}

/** An example of what a request sends: a text, or a body in JSON and in XML. */
export type RequestExample = (BodyExample | TextExample) & {
  /** The purpose of the body, in a sentence. */
  readonly description: string
  readonly name: string
  readonly summary: string
}

/** Endpoints of a capability beside those of its operations, which need a bearer token. */
export interface RestPart {
  /** The name of the capability. */
  readonly name: string
  /** Endpoints in the group of its operations; none unless given. */
  readonly endpoints?: ReadonlyArray<HttpApiEndpoint.Constraint>
  /** Endpoints in a group of their own; none unless given. */
  readonly group?: HttpApiGroup.Constraint
  /** Examples of requests, by the names of the endpoints. */
  readonly requests: Readonly<Record<string, RequestExample>>
  /** Examples of answers with the status 200, by the names of the endpoints. */
  readonly answers: Readonly<Record<string, BodyExample | TextAnswer>>
  /** What the statuses of success of endpoints and operations mean, where that is more than that they succeeded. */
  readonly successes?: Readonly<Record<string, Readonly<Record<string, string>>>>
}
