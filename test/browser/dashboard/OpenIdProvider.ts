/** An OpenID Connect provider for tests, `oidc-provider`, at which people sign in by name only. */
import { createServer } from "node:http"
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** The provider's claims about an account. */
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

/** The provider, once {@link serve} has given it the address of the service. */
export class OpenIdProvider {
  /** The accounts by subject; any other account has a subject and no further claims. */
  readonly accounts = new Map<string, Account>()
  readonly issuer: string
  /** The requested paths, by browsers and by the service. */
  readonly asked: Array<string> = []
  /** Changes the JSON answers of its token endpoint; their length must not change. */
  answerTokens: (answer: string, body: string) => string = (answer) => answer
  #listener: RequestListener | undefined
  #held: Array<() => void> | undefined

  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://localhost:${(server.address() as AddressInfo).port}`
    server.on("request", (request, response) => {
      const [path = ""] = (request.url ?? "").split("?")
      this.asked.push(path)
      if (this.#listener === undefined) return void response.writeHead(503).end()
      if (path === "/token") this.#changeAnswer(request, response)
      this.#listener(request, response)
    })
  }

  /** Listens, and answers 503 until it serves. */
  static start(): Promise<OpenIdProvider> {
    const server = createServer()
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(new OpenIdProvider(server))))
  }

  /** The settings of a service that uses the provider. */
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

  /** Stops answering until the returned function is called. */
  interrupt(): () => void {
    const listener = this.#listener
    this.#listener = undefined
    return () => void (this.#listener = listener)
  }

  /** Holds the answers of its token endpoint until the returned function is called. */
  holdTokens(): () => void {
    const held: Array<() => void> = []
    this.#held = held
    return () => {
      this.#held = undefined
      held.forEach((send) => send())
    }
  }

  #changeAnswer(request: IncomingMessage, response: ServerResponse): void {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    const end = response.end.bind(response)
    response.end = ((answer: string) => {
      const send = () => void end(this.answerTokens(answer, body))
      if (this.#held === undefined) send()
      else this.#held.push(send)
    }) as typeof response.end
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
