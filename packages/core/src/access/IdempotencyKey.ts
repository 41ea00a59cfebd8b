/** The form of an `Idempotency-Key`, alike in all interfaces (D5.2). */
import { InvalidParameter } from "../values/Errors.ts"

/** The most characters (UTF-16 code units) of a key. */
export const maxKeyLength = 255

/** Why an `Idempotency-Key` is refused in any interface (D5.2); `undefined` for a good key. */
export const keyRefusalOf = (key: string): InvalidParameter | undefined =>
  key === "" || key.length > maxKeyLength
    ? new InvalidParameter({
      errors: [{ path: "Idempotency-Key", detail: `must be 1 to ${maxKeyLength} characters long` }]
    })
    : undefined
