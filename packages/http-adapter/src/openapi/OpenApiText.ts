/** The prose of the OpenAPI document: its introduction, successes, parameters and headers. */
import { maxKeyLength } from "@dockline/core/access/Idempotency"
import { graphqlPath } from "@dockline/wire/Path"
import { rowLimit } from "../answer/Csv.ts"
import type { JsonObject } from "./OpenApiSchemas.ts"

const firstSteps =
  `1. **Authorize:** press *Authorize*, put in your client id and secret, and press *Authorize* there: the page \
requests the access token itself. If you have a token already, paste it below, with or without \`Bearer\` before it.
2. **Submit a document:** open *Submit a document*, choose JSON or XML and an example, and press *Execute*.

Programs get their token by *Request an access token*; on a demo service its example works unchanged.`

const firstStepsWithoutTokens =
  `1. **Authorize:** press *Authorize*, and put in the credentials that this service gave you.
2. **Submit a document:** open *Submit a document*, choose JSON or XML and an example, and press *Execute*.`

export const introductionOf = (hasTokens: boolean): string =>
  `Dockline tracks shipments, the orders on them and the items of those orders, for a \
business at a facility. This is its REST interface; messages are read by *List messages* (\`GET /v1/messages\`), followed through \
GraphQL at \`${graphqlPath}\`, or sent to a webhook endpoint.

## First steps

${hasTokens ? firstSteps : firstStepsWithoutTokens}

## JSON and XML

A document means the same in either form. In XML the root element may have any name, a list is its field's element \
repeated without a wrapper (\`<items>…</items><items>…</items>\`), and attributes and namespace prefixes are ignored. \
An unknown field is refused in both, so that a misspelt field is never silently ignored. Everything else is sent in JSON. \
Every answer to a client is in XML when \`Accept\` prefers it, with empty \
lists and \`null\` left out.

Missing text comes back as \`""\`, a missing number as \`0\`, a missing flag as \`false\`, a missing list as \`[]\`. \
Points in time are written in UTC with milliseconds (\`2026-11-20T17:00:00.000Z\`) and read with any offset, or none \
for UTC.

## Lists in CSV

With \`Accept: text/csv\` a list is a table (RFC 4180): a header, then a line for each entry. Without \`limit\` it is the whole list, \
at most ${
    rowLimit.toLocaleString("en")
  } entries: a longer list breaks off, and has to be requested in parts. With \`limit\` it is one page, and the header \
\`Link\` leads to the next. A spreadsheet would take a text for a formula if \`=\`, \`+\`, \`-\` or \`@\` is at its beginning or after a semicolon, a tab \
or a line end, so an apostrophe is put before this character.

## Errors

Every refusal is a problem, \`application/problem+json\` (RFC 9457), with the machine code of its reason in \`code\`${
    hasTokens ? "; only the token endpoint answers as RFC 6749 requires" : ""
  }. A path that does not exist is 404 \`RESOURCE_NOT_FOUND\`. Every \
path answers 405 \`METHOD_NOT_ALLOWED\` to a method that it does not support, and lists the supported ones in \`Allow\`. \
A request is checked in this order: 401, 429, 415, 413, 400, 422, 404, 403, 412, 409.

## Retries

A request that got no answer, or 500 or 503, can be sent again; a request that got 429 can be sent again after \`Retry-After\` seconds. With \
an \`Idempotency-Key\` the repetition gets the answer to the first request, for 24 hours, and is not processed twice; \
requests of operators do not support it. Every answer has a \`Correlation-Id\`, the same as \
the request if it had one: quote it when you ask about a request.`

export const authorizationTextOf = (hasTokens: boolean): string =>
  hasTokens ? tokenText : "The credentials that this service gave you."

export const clientText =
  `Your client id and secret: the page requests the access token itself, and a new one when you \
sign in again. The browser keeps it until you log out here.`

const tokenText = `The access token of *Request an access token*. Paste it as \`Bearer <ACCESS_TOKEN>\` \
or the bare token: both work. The browser keeps it until you log out here.`

export const successTexts: Readonly<Record<string, string>> = {
  200: "The request succeeded.",
  201: "The entity was created.",
  202: "The messages will be delivered again.",
  204: "The entity is deleted."
}

export const successes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  submitDocument: {
    200:
      "The document was processed and created nothing: it updated or removed something, or changed nothing. With \
`Prefer: return=minimal`, the short answer.",
    201: "The document was processed and created at least one shipment, order or item. With \
`Prefer: return=minimal` the short answer."
  },
  recordPalletEvent: {
    200:
      "The facility has recorded this event before: the answer is the same, and there is no second message.",
    201: "The event was recorded, and its message is on the way to the customer."
  },
  arriveShipment: { 200: "The shipment has arrived, now or before." },
  departShipment: { 200: "The shipment has departed, now or before; its orders are completed." },
  checkInShipment: { 200: "The step is noted, now or before." },
  linkShipments: {
    200: "The two shipments are linked, now or before; the answer is the shipment in the path."
  },
  cancelShipment: { 200: "The shipment is cancelled, now or before, and its orders too." },
  requestToken: { 200: "A token. Keep it and use it until shortly before `expires_in` seconds have passed." },
  getFieldMap: { 200: "The field map; an empty list if messages carry no labels." },
  createClient: { 201: "The client was created. Only this answer shows its secret." },
  createSecret: { 201: "The secret was added. It is shown only in this answer." },
  createWebhookEndpoint: { 201: "The endpoint was created. Only this answer shows its signing secret." },
  rotateSigningSecret: { 200: "The new signing secret. It is shown only in this answer." },
  testWebhookEndpoint: {
    200:
      "The message was sent, or could not be sent. The answer has the outcome, even if the receiver refused the message."
  },
  advanceMessages: { 200: "The newest ids." }
}

export const optionalBodies: Readonly<Record<string, JsonObject>> = {
  arriveShipment: {
    required: false,
    description: "Time and dock; without a body, now and at the shipment's dock."
  },
  departShipment: { required: false, description: "When; without a body, now." },
  cancelShipment: { required: false, description: "An empty object, or no body." },
  testWebhookEndpoint: {
    required: false,
    description: "The type of the message; without a body, the first type of the endpoint."
  }
}

const flag = (description: string) => ({ description, schema: { type: "boolean" } })

const limit: JsonObject = { type: "integer", minimum: 1, maximum: 100, default: 100 }

const int64 = (minimum: number): JsonObject => ({ type: "integer", format: "int64", minimum })

/** The parameters whose generated schemas only say how a value is written in a URL or a header. */
export const parameters: Readonly<
  Record<string, { readonly description?: string; readonly schema: JsonObject }>
> = {
  id: { schema: int64(1) },
  limit: {
    description:
      "The most entities in the answer; 100 when absent. A page may end earlier. In CSV, the whole list when absent.",
    schema: limit
  },
  after: { description: "The `next` of the previous page.", schema: int64(0) },
  afterId: {
    description: "Only messages with higher ids: the `next` of the previous page.",
    schema: int64(0)
  },
  removed: flag("With true, only documents that removed something without creating it again."),
  unseen: flag("With true, only items with an LPN that was not seen on the shipment."),
  seen: flag("With true, only discrepancies of pallets that were seen, which leaves out missing pallets."),
  discrepancies: flag("With true, only shipments with discrepancies"),
  dryRun: flag(
    "Answer as if the document were processed, with empty ids for what it would create, and write nothing."
  ),
  "idempotency-key": { schema: { type: "string", minLength: 1, maxLength: maxKeyLength } }
}

const text = (...examples: ReadonlyArray<string>): JsonObject => ({ type: "string", examples })

const address = (example: string): JsonObject => ({
  type: "string",
  format: "uri-reference",
  examples: [example]
})

const words = (...words: ReadonlyArray<string>): JsonObject => ({ type: "string", enum: words })

/** A header of an answer; its description says when it may be absent. */
const header = (description: string, schema: JsonObject): JsonObject => ({ description, schema })

const always = (description: string, schema: JsonObject): JsonObject => ({
  description,
  required: true,
  schema
})

export const headers: Readonly<Record<string, JsonObject>> = {
  CorrelationId: always(
    "The Correlation-Id of the request, or one made by the service if the request had none or an unusable one",
    { type: "string", minLength: 1, maxLength: 128 }
  ),
  Location: header(
    "Where the shipment can be read; absent in a dry run",
    address("/v1/shipments/4711")
  ),
  LocationOfMade: always("The address of the created entity", address("/v1/operator/businesses/acme")),
  AcceptEncoding: header(
    "If the content coding of the body is not supported: the supported one",
    words("identity")
  ),
  ETag: always(
    "The version of the entity; send it as If-Match with a change, so that it is refused if somebody else has changed the entity since",
    text("\"9b1f0c6a3a7d41c58f0e2d4b6a8c9e10\"")
  ),
  ETagOfShipment: header(
    "The version of the shipment; send it as If-Match with a document, so that it is refused if the shipment has changed since. Absent in a dry run",
    text("\"3\"")
  ),
  NoStore: always("No cache may keep the answer", words("no-store")),
  Link: header(
    "In CSV with `limit`: the address of the next page; absent on the last",
    text("<?limit=100&after=4711>; rel=\"next\"")
  ),
  IdempotencyReplayed: header(
    "Present when this is the answer to an earlier request with the same Idempotency-Key",
    words("true")
  ),
  PreferenceApplied: header(
    "Present when the answer has the requested short form, or belongs to a dry run, which wrote nothing",
    words("return=minimal", "dry-run", "return=minimal, dry-run")
  ),
  WwwAuthenticate: always(
    "The scheme to authenticate by, and the fault of a token that was sent: it is malformed, has " +
      "expired, is for another audience, or is not valid here",
    text("Bearer", "Bearer error=\"invalid_token\", error_description=\"The token has expired\"")
  ),
  BasicChallenge: header("Present when the client was authenticated by Basic credentials", {
    type: "string"
  }),
  Allow: always("The methods that the path supports", text("GET, HEAD")),
  RetryAfter: always("After how many seconds to repeat the request", { type: "integer", minimum: 0 }),
  RateLimitPolicy: header(
    "How many requests (`q`) the client may send in a window of `w` seconds; absent if there is no limit",
    text("\"default\";q=6000;w=60")
  ),
  RateLimit: header(
    "How many requests are left (`r`) until the window ends in `t` seconds; absent if there is no limit",
    text("\"default\";r=5999;t=60")
  )
}
