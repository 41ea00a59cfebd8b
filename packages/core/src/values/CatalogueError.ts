/**
 * Declares errors of the catalogue, each by a row from which documents and answers derive its status, code and texts
 * (D4.4). No row names a protocol.
 */
import { Data, Schema } from "effect"
import type { Cause } from "effect"

/** The kind of a refusal, which `@dockline/wire` maps to the wire: its table must have each of them. */
export type ErrorCategory =
  | "malformed"
  | "unauthenticated"
  | "forbidden"
  | "notFound"
  | "methodNotAllowed"
  | "notAcceptable"
  | "tooSlow"
  | "conflict"
  | "expired"
  | "ahead"
  | "preconditionFailed"
  | "tooMany"
  | "tooLarge"
  | "unsupportedMediaType"
  | "misdirected"
  | "unprocessable"
  | "upgradeRequired"
  | "rateLimited"
  | "headTooLarge"
  | "internal"
  | "notImplemented"
  | "unavailable"

/** A fault of a document: its path (`items[2].quantity`, `""` for the whole document) and its description. */
export const FieldError = Schema.Struct({
  path: Schema.String.annotate({ description: "Where in the document, such as items[2].quantity" }),
  detail: Schema.String.annotate({ description: "The fault and the expected value" })
}).annotate({ identifier: "FieldError" })

export type FieldError = typeof FieldError.Type

/** An error of the catalogue, or any object of the same shape. */
export interface CatalogueError {
  readonly category: ErrorCategory
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
  /** The id after which messages can still be read; present when earlier messages have been dropped. */
  readonly droppedId?: number
  /** The newest id of the log; present when a cursor lies beyond it. */
  readonly newestId?: number
  /** The seconds after which the request may succeed, if known. */
  readonly retryAfterSeconds?: number
  /** The id under which the log has the reason; present when the answer does not show the reason. */
  readonly correlationId?: string
}

/** `ORDER_NOT_FOUND` is tagged `OrderNotFound`. */
type TagOf<Code extends string> = Code extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Lowercase<Word>>}${TagOf<Rest>}`
  : Capitalize<Lowercase<Code>>

/** The facts of an error in addition to its code and its category. */
export interface ErrorRow<Code extends string, Fields extends object> {
  /** When the error occurs, as the end of a sentence. */
  readonly when: string
  readonly example: Fields
  /** The text for the client: the fault of this request, and the remedy. */
  readonly message: string | ((error: Fields & { readonly code: Code }) => string)
}

interface ErrorFacts {
  readonly code: string
  readonly category: ErrorCategory
  readonly when: string
  /** Makes an error of this class, as an example. */
  example(): CatalogueError
}

/** The class of any error of the catalogue, with its facts for documentation. */
export interface ErrorClass extends ErrorFacts {
  new(fields: never): CatalogueError & Cause.YieldableError
}

/** The errors of some classes: `ErrorOf<typeof classes>` for a list of them. */
export type ErrorOf<Classes extends ReadonlyArray<ErrorClass>> = InstanceType<Classes[number]>

/** The class that a row declares: its errors have the fields of the row as properties. */
export interface ErrorDeclaration<Code extends string, Category extends ErrorCategory, Fields extends object>
  extends ErrorFacts
{
  new(
    ...fields: {} extends Fields ? [fields?: Fields] : [fields: Fields]
  ): Cause.YieldableError & Readonly<Fields> & {
    readonly _tag: TagOf<Code>
    readonly code: Code
    readonly category: Category
  }
  readonly code: Code
}

/**
 * Declares an error: `class OrderNotFound extends CatalogueError("ORDER_NOT_FOUND", "notFound", { … }) {}`. Its tag is
 * its code in the form of a class name.
 */
export const CatalogueError = <
  const Code extends string,
  const Category extends ErrorCategory,
  Fields extends object
>(
  code: Code,
  category: Category,
  { when, example, message }: ErrorRow<Code, Fields>
): ErrorDeclaration<Code, Category, Fields> => {
  const tag = code.replaceAll(
    /([A-Z])([A-Z]*)_?/g,
    (_, first: string, rest: string) => first + rest.toLowerCase()
  )
  // A class cannot take its fields from a type parameter, so casts give it the fields of the row.
  class Row extends Data.TaggedError(tag)<Record<string, unknown>> {
    static readonly code = code
    static readonly category = category
    static readonly when = when
    static example() {
      return new this(example as Record<string, unknown>)
    }
    readonly code = code
    readonly category = category
    override get message(): string {
      return typeof message === "string"
        ? message
        : message(this as unknown as Fields & { readonly code: Code })
    }
    /** The text for `console.log` at any depth, which otherwise leaves out getters. */
    [Symbol.for("nodejs.util.inspect.custom")](): string {
      const { errors = [] } = this as CatalogueError
      return [`${code}: ${this.message}`, ...errors.map(({ detail, path }) => `  ${path}: ${detail}`)].join(
        "\n"
      )
    }
  }
  return Row as unknown as ErrorDeclaration<Code, Category, Fields>
}

/** Declares the types of an error's fields that its example does not determine. */
export const fields = <Fields extends object>(example: Fields): Fields => example

/** The categories of refusals that are not kept, because a repetition with another token or body, or at a later time, may succeed. */
const notKept: ReadonlySet<ErrorCategory> = new Set([
  "unauthenticated",
  "tooMany",
  "tooLarge",
  "unsupportedMediaType",
  "rateLimited",
  "internal",
  "notImplemented",
  "unavailable"
])

/** Whether a refusal of this category is replayed to a repeated request with the same key (D5.2). */
export const isKept = (category: ErrorCategory): boolean => !notKept.has(category)
