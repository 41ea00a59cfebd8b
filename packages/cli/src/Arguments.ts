/** The arguments and flags that commands share. */
import { permissions } from "@dockline/core/Access"
import { parse } from "@dockline/core/Timestamp"
import { Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { valueOf } from "./Failure.ts"
import * as GrantText from "./GrantText.ts"

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
export const person = named("person", "Id of the person, as person list shows it")
export const secret = named("secret", "Id of the secret, as client show lists it")
export const endpoint = named("endpoint", "Id of the webhook endpoint")
export const shipment = named("shipment", "Id of the shipment, as shipment list shows it")
export const document = named("document", "Id of the document in the record, as document list shows it")
export const searched = named("text", "A number of a shipment, an order or a trailer, or a license plate")

export const lpn = named("lpn", "License plate of the pallet")
export const exception = named("exception", "Id of the exception, as exception list shows it")
export const delivery = named("delivery", "Id of the delivery")

export const slug = named("slug", "The slug that identifies it permanently")

export const name = Flag.String("name").pipe(Flag.withDescription("Its display name"))

/** What a client or a person may do. */
export const grants = Flag.String("grant").pipe(
  Flag.withMetavar("BUSINESS=PERMISSION,…"),
  Flag.withDescription(
    `What may be done: ${GrantText.form}; the permissions are ${permissions.join(", ")}; * is every business`
  ),
  Flag.atLeast(0)
)

export const readGrants = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => valueOf("--grant", GrantText.read(text)))

/** A flag that is false unless given. */
export const isSet = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** A key under which a request is done once. */
export const idempotencyKey = text(
  "idempotency-key",
  "Send again with the same key when no answer came: for 24 hours nothing is done twice"
)

/** The headers of a request that writes. */
export const writeHeaders = (key: Option.Option<string>) => ifGiven("idempotency-key", key)

const isTime = Schema.makeFilter((text: string) =>
  parse(text) !== undefined || "is not a time; write it as 2026-11-20T06:00:00Z"
)

/** A time, as RFC 3339 writes it. */
export const time = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("TIME"),
    Flag.withSchema(Schema.String.check(isTime)),
    Flag.optional
  )

/** Confirms a deletion beforehand. */
export const yes = isSet("yes", "Do not ask")

/** An object with the field, if its flag was given. */
export const ifGiven = <Name extends string, A>(
  name: Name,
  value: Option.Option<A>
): { readonly [_ in Name]?: A } => Option.isSome(value) ? { [name]: value.value } as { [_ in Name]: A } : {}
