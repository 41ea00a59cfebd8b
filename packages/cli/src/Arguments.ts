/** What commands take by position. */
import { Schema } from "effect"
import { Argument } from "effect/cli"

/** It becomes part of a path, where these two would mean another place. */
const isNameable = Schema.makeFilter((text: string) =>
  text !== "" && text !== "." && text !== ".." || "must not be empty, \".\" or \"..\""
)

const named = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.withSchema(Schema.String.check(isNameable))
  )

/** A business. */
export const business = named("business", "Slug of the business")

/** A facility of a business. */
export const facility = named("facility", "Slug of the facility")

/** The slug of something to be made. */
export const slug = named("slug", "The slug that names it for ever")

/** An API client. */
export const client = named("client", "Id of the API client")

/** A secret of a client. */
export const secret = named("secret", "Id of the secret, as client show lists it")

/** A webhook endpoint. */
export const endpoint = named("endpoint", "Id of the webhook endpoint")

/** A delivery of an endpoint. */
export const delivery = named("delivery", "Id of the delivery")
