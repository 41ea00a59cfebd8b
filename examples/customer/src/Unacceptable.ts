/**
 * Why a request to a customer's endpoint is refused.
 */

/** The answer to a request that is refused: its status, and a text that says why. */
export class Unacceptable extends Error {
  override readonly name = "Unacceptable"
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}
