/**
 * `POST /v1/documents`: from the bytes of a request to core's intake and back.
 *
 * Guarantee: refusals come in the order of D3.9. The token is checked before this runs, media type and size before
 * a byte is parsed, and nothing is written unless everything about the document is right.
 */
import type { Document } from "@dockline/core/Document"
import * as DocumentInput from "@dockline/core/DocumentInput"
import { MalformedDocument, TooManyItems, UnsupportedMediaType } from "@dockline/core/Errors"
import type { InvalidDocument } from "@dockline/core/Errors"
import { Intake } from "@dockline/core/Intake"
import { Strategies } from "@dockline/core/Strategy"
import type { IntakeResult } from "@dockline/core/View"
import { Vocabulary } from "@dockline/core/Vocabulary"
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Accept from "./Accept.ts"
import * as Answer from "./Answer.ts"
import { CurrentPrincipal } from "./Authorization.ts"
import * as ContentType from "./ContentType.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import { Idempotency } from "./Idempotency.ts"
import * as JsonBody from "./JsonBody.ts"
import * as LimitedBody from "./LimitedBody.ts"
import * as Prefer from "./Prefer.ts"
import * as SchemaShape from "./SchemaShape.ts"
import * as XmlBody from "./XmlBody.ts"
import type { XmlElement } from "./XmlBody.ts"
import { toValue } from "./XmlShape.ts"

type Refusal = TooManyItems | MalformedDocument | InvalidDocument | UnsupportedMediaType

/** Reads a document's bytes as its content type says. */
const makeReader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const read = DocumentInput.reader(rules, itemLimit)
  const shape = SchemaShape.objectOf(DocumentInput.schema(rules))
  return (bytes: Uint8Array, type: ContentType.ContentType): Result.Result<Document, Refusal> => {
    if (type.format === "json") {
      return JsonBody.parse(bytes).pipe(Result.mapError(malformed), Result.flatMap(read))
    }
    return XmlBody.parse(bytes, type.charset).pipe(
      Result.mapError((error) => error._tag === "MalformedBody" ? malformed(error) : unsupported(error)),
      Result.flatMap((root): Result.Result<unknown, Refusal> =>
        isTooLarge(root, itemLimit)
          ? Result.fail(new TooManyItems({ limit: itemLimit }))
          : Result.mapError(toValue(root, shape), (errors) => new MalformedDocument({ errors }))
      ),
      Result.flatMap(read)
    )
  }
}

/** Whether the tree has too many entries: told before its faults, as in JSON (D3.9). */
const isTooLarge = (root: XmlElement, limit: number): boolean => {
  const orders = entriesOf(root, "orders")
  const items = [root, ...orders].reduce((sum, holder) => sum + entriesOf(holder, "items").length, 0)
  return orders.length > limit || items > limit
}

/** The elements that are entries of a list; an empty one is none (D2.5). */
const entriesOf = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  element.children.filter((child) =>
    child.name === name && (child.children.length > 0 || child.text.trim() !== "")
  )

const malformed = ({ errors }: { readonly errors: MalformedDocument["errors"] }) =>
  new MalformedDocument({ errors })

/** The media types of a document. */
const supported = ["application/json", "application/xml", "text/xml"]

const unsupported = ({ detail }: ContentType.UnsupportedMediaType) =>
  new UnsupportedMediaType({ supported, detail })

/** A compressed body is refused as such, rather than as text that makes no sense. */
const checkCoding = (header: string | undefined): Result.Result<void, ContentType.UnsupportedMediaType> =>
  header === undefined || header.trim().toLowerCase() === "identity"
    ? Result.void
    : Result.fail(ContentType.unsupported("the Content-Encoding is not supported; send the body as it is"))

/** Makes the handler of `POST /v1/documents`. */
export const makeHandler = Effect.fnUntraced(function*(config: HttpConfig) {
  const intake = yield* Intake
  const idempotency = yield* Idempotency
  const read = makeReader({ vocabulary: yield* Vocabulary, strategies: yield* Strategies }, config.itemLimit)

  return (query: { readonly dryRun?: boolean }) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* CurrentPrincipal
      const preferences = Prefer.parse(request.headers["prefer"])
      const dryRun = query.dryRun === true || preferences.dryRun
      const type = yield* Effect.fromResult(
        Result.flatMap(checkCoding(request.headers["content-encoding"]), () =>
          ContentType.parse(request.headers["content-type"]))
      ).pipe(Effect.mapError(unsupported))
      const bytes = yield* LimitedBody.read(request, config.bodyLimit)
      const responseType = Accept.negotiate(request.headers["accept"])
      const minimal = preferences.return === "minimal"
      const submit = Effect.fromResult(read(bytes, type)).pipe(
        Effect.flatMap((document) =>
          Effect.map(intake.submit(document, principal, { dryRun }), (result) => ({
            ...toAnswer(result, { dryRun, minimal, responseType }),
            place: { business: document.business, facility: document.facility }
          }))
        )
      )
      return yield* idempotency.once(
        {
          principal,
          permission: "documents:write",
          // What is asked besides the body is part of the request: a dry run must not answer for the real one.
          operation: ["POST /v1/documents", type.format, String(dryRun), String(minimal), responseType],
          body: bytes
        },
        submit
      )
    }).pipe(Effect.catch(Answer.refuse), Effect.map(Answer.toResponse))
})

interface Wanted {
  readonly dryRun: boolean
  readonly minimal: boolean
  readonly responseType: Accept.ResponseType
}

/** 201 exactly when something was created, then with `Location` (D3.4); never in answer to a dry run's ids. */
const toAnswer = (result: IntakeResult, wanted: Wanted): Answer.Answer => {
  const created = result.created.length > 0
  const applied = [...(wanted.minimal ? ["return=minimal"] : []), ...(wanted.dryRun ? ["dry-run"] : [])]
  const body = wanted.minimal
    ? { shipment: { id: result.shipment.id, status: result.shipment.status } }
    : result
  return {
    status: created ? 201 : 200,
    headers: {
      ...(created && !wanted.dryRun ? { location: `/v1/shipments/${result.shipment.id}` } : {}),
      ...(applied.length > 0 ? { "preference-applied": applied.join(", ") } : {}),
      vary: "accept, prefer"
    },
    ...Answer.encode("IntakeResult", body, wanted.responseType)
  }
}
