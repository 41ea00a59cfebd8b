/**
 * How the service proves who it is at a customer's endpoints: Basic, or a token that it fetched at the login endpoint.
 *
 * Guarantee: what is compared with a password or a token takes the same time however much of it is right.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { field, isObject } from "./Json.ts"

/** What an endpoint asks for. */
export type Authentication = "none" | "basic" | "token"

export const authentications: ReadonlyArray<Authentication> = ["none", "basic", "token"]

/** The user name and password agreed with the operator of the service. */
export interface Account {
  readonly username: string
  readonly password: string
}

/** Tokens in force at most: the one that was given longest ago ends first. */
export const maxTokens = 100

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const isSame = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right))

export class WebhookAuth {
  readonly #account: Account
  readonly #lifetimeMillis: number
  /** When each token ends, by its digest. */
  readonly #tokens = new Map<string, number>()

  constructor(account: Account, lifetimeSeconds: number) {
    this.#account = account
    this.#lifetimeMillis = lifetimeSeconds * 1000
  }

  /** Whether the header `Authorization` says what is asked for. */
  accepts(asked: Authentication, header: string | undefined): boolean {
    if (asked === "none") return true
    const [, scheme = "", value = ""] = /^(\S+) +(\S+) *$/.exec(header ?? "") ?? []
    if (asked === "token") {
      return scheme.toLowerCase() === "bearer" &&
        Date.now() < (this.#tokens.get(digest(value).toString("hex")) ?? 0)
    }
    if (scheme.toLowerCase() !== "basic") return false
    const given = Buffer.from(value, "base64").toString()
    const at = given.indexOf(":")
    return at >= 0 && this.#isAccount(given.slice(0, at), given.slice(at + 1))
  }

  /** A new token for whoever knows user name and password, as an answer of the login endpoint; else `undefined`. */
  login(request: unknown): object | undefined {
    if (!isObject(request)) return undefined
    const username = field(request, "username", "string") ?? ""
    const password = field(request, "password", "string") ?? ""
    if (!this.#isAccount(username, password)) return undefined
    const token = randomBytes(32).toString("base64url")
    this.#tokens.set(digest(token).toString("hex"), Date.now() + this.#lifetimeMillis)
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= maxTokens) break
      this.#tokens.delete(oldest)
    }
    return { access_token: token, token_type: "Bearer", expires_in: this.#lifetimeMillis / 1000 }
  }

  #isAccount(username: string, password: string): boolean {
    // Both are compared, whatever the first comparison says.
    const isUser = isSame(username, this.#account.username)
    return isSame(password, this.#account.password) && isUser
  }
}
