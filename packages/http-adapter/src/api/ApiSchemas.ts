/** The parts that the groups of the API share: descriptions, pages and headers. */
import * as Field from "@dockline/core/values/Field"
import { isCursor } from "@dockline/core/values/Page"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"

/** The title of an endpoint, and its description in sentences. */
export const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** A text of an answer or a parameter, with its purpose. */
export const text = (description: string) => Schema.String.annotate({ description })

/** A whole number of an answer, with its purpose. */
export const count = (description: string) => Schema.Int.annotate({ description })

export const page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    items: Schema.Array(item).annotate({ description: "The entries of this page" }),
    next: Schema.NullOr(Schema.String).annotate({
      description: "Send it as after for the next page; null on the last"
    })
  }).annotate({ identifier })

const limit = Schema.optionalKey(
  Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: 100 }, { message: "must be a whole number from 1 to 100" })
  )
)

/** The parameters of a list of entities in the order of their ids. */
export const pageQuery = {
  limit,
  after: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be the next of a page" }))
  )
}

/** The parameters of a list whose cursors are texts. */
export const textPageQuery = {
  limit,
  after: Schema.optionalKey(Field.text("The `next` of the previous page."))
}

/** The parameters of a list in the order of ids or of times. */
export const timedPageQuery = {
  limit,
  after: Schema.optionalKey(
    Field.stringField(
      "The `next` of the previous page.",
      (text) => isCursor(text) ? undefined : "must be the next of a page",
      { maxLength: 64 }
    )
  )
}

/** The header that every request may carry. */
export const correlationHeader = {
  "correlation-id": Schema.optionalKey(
    text("Returned as it is in the answer, and in every line that the service logs about the request.")
  )
}

/** Headers of a request that may expect the version that it changes. */
export const preconditionHeaders = {
  "if-match": Schema.optionalKey(
    text(
      "The ETag of the entity as it was read. If somebody else has changed it meanwhile, the answer is 412 and nothing is overwritten."
    )
  ),
  ...correlationHeader
}

/** Headers of every request that writes. */
export const writeHeaders = {
  "idempotency-key": Schema.optionalKey(
    text("Send a new value, such as a UUID, with each new request, and the same value when you repeat one.")
  ),
  ...correlationHeader
}
