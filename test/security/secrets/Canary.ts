/**
 * Canaries: secrets that tests search for, in every form in which one could leak.
 */
import { randomBytes } from "node:crypto"

/** Secrets by their names. */
export class Canaries {
  readonly #secrets = new Map<string, string>()

  /** Makes a secret that occurs nowhere else. */
  make(name: string): string {
    return this.add(name, `canary${randomBytes(18).toString("hex")}`)
  }

  /** Adds a secret that something else has made. */
  add(name: string, secret: string): string {
    this.#secrets.set(name, secret)
    return secret
  }

  /** The secrets that occur in the text, in any form. */
  foundIn(text: string): ReadonlyArray<string> {
    return Array.from(this.#secrets).flatMap(([name, secret]) =>
      formsOf(secret).filter(([, form]) => text.includes(form)).map(([form]) => `${name}, ${form}`)
    )
  }
}

/** A secret unchanged, encoded, and encoded as a part of a longer text. */
const formsOf = (secret: string): ReadonlyArray<readonly [name: string, text: string]> => [
  ["as it is", secret],
  ["in hexadecimal", Buffer.from(secret).toString("hex")],
  ["percent-encoded", encodeURIComponent(secret)],
  ...[0, 1, 2].flatMap((shift) =>
    (["base64", "base64url"] as const).map((encoding) => {
      const encoded = Buffer.from(`${" ".repeat(shift)}${secret}`).toString(encoding)
      // The characters at both ends depend on the text around the secret.
      return [`in ${encoding}`, encoded.slice(shift === 0 ? 0 : 4, -4)] as const
    })
  )
]
