/** An OpenID Connect provider of its own, `oidc-provider`, at which everybody signs in by their name alone. */
import { createServer } from "node:http"
import type { RequestListener, Server } from "node:http"
import type { AddressInfo } from "node:net"

/** What the provider says of an account. */
interface Account {
  readonly email?: string
  readonly email_verified?: boolean
}

interface Library {
  readonly Provider: new(issuer: string, settings: object) => { readonly callback: () => RequestListener }
}

/** The library has no types. */
const library = (): Promise<Library> => import("oidc-provider" as string)

const clientSecret = "the-secret-of-the-dashboard"

/** The provider, once {@link serve} has told it the service. */
export class OpenIdProvider {
  /** The accounts by subject; who is not here has a subject and nothing else. */
  readonly accounts = new Map<string, Account>()
  readonly issuer: string
  #listener: RequestListener | undefined

  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://localhost:${(server.address() as AddressInfo).port}`
    server.on("request", (request, response) => {
      if (this.#listener === undefined) response.writeHead(503).end()
      else this.#listener(request, response)
    })
  }

  /** Listens, and answers 503 until it serves. */
  static start(): Promise<OpenIdProvider> {
    const server = createServer()
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(new OpenIdProvider(server))))
  }

  /** The settings of a service that uses it. */
  get settings(): Readonly<Record<string, string>> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: "dashboard", OIDC_CLIENT_SECRET: clientSecret }
  }

  /** Serves the service at this address. */
  async serve(baseUrl: string): Promise<void> {
    const { Provider } = await library()
    const provider = new Provider(this.issuer, {
      clients: [{
        client_id: "dashboard",
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/dashboard/sign-in/callback`],
        post_logout_redirect_uris: [`${baseUrl}/dashboard/sign-in`]
      }],
      claims: { openid: ["sub"], email: ["email", "email_verified"] },
      cookies: { keys: ["a key of the test"] },
      findAccount: (_: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...this.accounts.get(sub) })
      }),
      pkce: { required: () => true }
    })
    this.#listener = provider.callback()
  }

  /** Goes on or stops to answer. */
  interrupt(): () => void {
    const listener = this.#listener
    this.#listener = undefined
    return () => void (this.#listener = listener)
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
