/** What parts of capabilities write their handlers with: reading bodies in JSON or XML, and answers to queries whose parameters are all texts. */
import type { Principal } from "@dockline/core/access/Access"
import * as JsonText from "@dockline/core/input/JsonText"
import * as RequestInput from "@dockline/core/input/RequestInput"
import * as Shape from "@dockline/core/input/Shape"
import * as Slices from "@dockline/core/input/Slices"
import type { CatalogueError, FieldError } from "@dockline/core/values/CatalogueError"
import { MalformedRequest } from "@dockline/core/values/Errors"
import type { ContentType } from "@dockline/wire/MediaType"
import { restType } from "@dockline/wire/MediaType"
import { Effect, Result } from "effect"
import type { Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Parts.ts"
import type { Answering, Query } from "../api/Parts.ts"
import * as XmlBody from "../body/XmlBody.ts"
import * as XmlShape from "../body/XmlShape.ts"

const malformed = (errors: ReadonlyArray<FieldError>) => new MalformedRequest({ errors })

/**
 * Makes a function that reads bodies of a schema. A long body is read in slices, and reading stops once one of its lists has too many
 * entries. Texts about unknown elements of XML call the body `whole`, as in “a field of a list of labels”; `read` has its own name for
 * JSON. `read` converts the value into the input of the request; if the value is not whole, its end is missing.
 */
export const bodyReader = <A>(
  schema: Schema.Top,
  whole: string,
  entryLimits: Readonly<Record<string, number>>,
  read: (value: unknown, isWhole: boolean) => Result.Result<A, CatalogueError>
): (bytes: Uint8Array, type: ContentType) => Effect.Effect<A, CatalogueError> => {
  const shape = Shape.objectOf(schema, entryLimits)
  const steps = function*(
    bytes: Uint8Array,
    { charset, format }: ContentType
  ): Slices.Steps<Result.Result<A, CatalogueError>> {
    if (format === "json") {
      const json = yield* JsonText.readInSteps(bytes, shape)
      return Result.isFailure(json)
        ? Result.fail(malformed(json.failure.errors))
        : read(json.success.value, json.success.isWhole)
    }
    const tree = yield* XmlBody.read(bytes, charset, shape)
    if (Result.isFailure(tree)) {
      return Result.fail(
        tree.failure._tag === "MalformedBody" ? malformed(tree.failure.errors) : tree.failure
      )
    }
    const { isWhole, root } = tree.success
    for (const [name, limit] of Object.entries(entryLimits)) {
      if (root.children.filter((child) => child.name === name).length > limit) {
        return Result.fail(RequestInput.tooMany(name, limit))
      }
    }
    const value = yield* XmlShape.read(root, shape, whole)
    return Result.isFailure(value) ? Result.fail(malformed(value.failure)) : read(value.success, isWhole)
  }
  return (bytes, type) =>
    Effect.flatMap(Effect.suspend(() => Slices.runInTurn(steps(bytes, type))), Effect.fromResult)
}

/** The parameters of a request, by their names. */
export type Texts = Readonly<Record<string, string>>

/** Answers in JSON or XML with this root element; refuses parameters with other names. */
export const textQuery = (
  rootName: string,
  names: ReadonlyArray<string>,
  work: (query: Texts, principal: Principal) => Effect.Effect<object, CatalogueError>
): Answering =>
({ query = {} }) =>
  Effect.gen(function*() {
    const { accept } = (yield* HttpServerRequest.HttpServerRequest).headers
    const principal = yield* CurrentPrincipal
    yield* Parameters.only(...names)
    // The parameters of these endpoints are texts.
    const value = yield* work(query as Query & Texts, principal)
    return Answer.show(rootName, value, restType(accept), { vary: "accept" })
  }).pipe(Effect.catch(Answer.respond))
