/** The arguments and flags that commands share. */
import { Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"

/** The text becomes part of a path, in which "." and ".." would lead elsewhere. */
const isNameable = Schema.makeFilter((text: string) =>
  text !== "" && text !== "." && text !== ".." || "must not be empty, \".\" or \"..\""
)

const named = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.withSchema(Schema.String.check(isNameable))
  )

export const business = named("business", "Slug of the business")
export const facility = named("facility", "Slug of the facility")
export const client = named("client", "Id of the API client")
export const secret = named("secret", "Id of the secret, as client show lists it")
export const endpoint = named("endpoint", "Id of the webhook endpoint")
export const delivery = named("delivery", "Id of the delivery")

export const slug = named("slug", "The slug that identifies it permanently")

export const name = Flag.String("name").pipe(Flag.withDescription("Its display name"))

/** A flag that is false unless given. */
export const isSet = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** Confirms a deletion beforehand. */
export const yes = isSet("yes", "Do not ask")

/** An object with the field, if its flag was given. */
export const ifGiven = <Name extends string, A>(
  name: Name,
  value: Option.Option<A>
): { readonly [_ in Name]?: A } => Option.isSome(value) ? { [name]: value.value } as { [_ in Name]: A } : {}
