/**
 * What the peer refuses, as problem bodies: the same statuses, codes and texts as the service.
 */

/** One thing that is wrong with a document. */
export interface FieldError {
  readonly path: string
  readonly detail: string
}

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  500: "Internal Server Error"
}

/** A refusal that is answered as it is. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly errors: ReadonlyArray<FieldError> | undefined

  constructor(status: number, code: string, detail: string, errors?: ReadonlyArray<FieldError>) {
    super(detail)
    this.status = status
    this.code = code
    this.errors = errors
  }

  /** The body of the answer. */
  get body(): Record<string, unknown> {
    return {
      type: "about:blank",
      title: titles[this.status] ?? "Error",
      status: this.status,
      detail: this.message,
      code: this.code,
      ...(this.errors === undefined ? {} : { errors: this.errors })
    }
  }
}

/** A document whose fields are wrong: 400 for wrong types and unknown fields, 422 for bad values. */
export const invalid = (status: 400 | 422, errors: ReadonlyArray<FieldError>): Problem =>
  status === 400
    ? new Problem(400, "MALFORMED_DOCUMENT", `The document cannot be read: ${errors.length} errors`, errors)
    : new Problem(422, "INVALID_DOCUMENT", `The document is not valid: ${errors.length} errors`, errors)

/** A conflict with what is there, or within the document. */
export const conflict = (code: string, values: Readonly<Record<string, string>>): Problem =>
  new Problem(
    409,
    code,
    `${code}: ${Object.entries(values).map(([name, value]) => `${name}=${value}`).join(", ")}`
  )
