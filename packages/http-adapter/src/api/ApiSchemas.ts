/**
 * What the groups of the API share: refusals, pages.
 */
import { FieldError } from "@dockline/core/Errors"
import * as Field from "@dockline/core/Field"
import { mediaType } from "@dockline/core/internal/Problem"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The body of every refusal but those of the token endpoint (RFC 9457). */
export const Problem = Schema.Struct({
  type: Schema.String.annotate({ description: "Always about:blank" }),
  title: Schema.String.annotate({ description: "The HTTP phrase of the status" }),
  status: Schema.Int,
  detail: Schema.String.annotate({ description: "What is wrong with this request, and the remedy" }),
  code: Schema.optionalKey(
    Schema.String.annotate({ description: "The machine code, such as SHIPMENT_CONFLICT" })
  ),
  errors: Schema.optionalKey(Schema.Array(FieldError)),
  instance: Schema.optionalKey(
    Schema.String.annotate({ description: "The correlation id, where it is needed" })
  )
}).annotate({ identifier: "Problem" })

const problem = (status: number) =>
  Problem.pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: mediaType }))

/** Refusals with these statuses. */
export const problems = (...statuses: ReadonlyArray<number>) => statuses.map(problem)

/** A page of entities. */
export const page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    items: Schema.Array(item),
    next: Schema.NullOr(Schema.String).annotate({
      description: "Send it as after for the next page; null on the last"
    })
  }).annotate({ identifier })

const limit = Schema.optionalKey(
  Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be a whole number from 1 to 100" })
  ).annotate({
    description: "The most entities to answer with; 100 when absent. A page of large orders may end earlier."
  })
)

/** The parameters of a list of entities in the order of their ids. */
export const pageQuery = {
  limit,
  after: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be the next of a page" })).annotate({
      description: "The next of the page before"
    })
  )
}

/** The parameters of a list of what operators look after. */
export const operatorPageQuery = {
  limit,
  after: Schema.optionalKey(Field.text("The next of the page before"))
}

/** The header that every request may carry. */
export const correlationHeader = {
  "correlation-id": Schema.optionalKey(
    Schema.String.annotate({ description: "Returned as it is; names the request in our logs" })
  )
}
