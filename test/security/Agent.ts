/** A person who signs in at the provider of `OpenIdProvider.ts`, with a browser without a screen. */
import { assert } from "vitest"

/** A browser without a screen: cookies by origin. */
export class Agent {
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #jars = new Map<string, Map<string, string>>()

  /** A browser that adds these headers to its own. */
  constructor(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
    this.#baseUrl = baseUrl
    this.#headers = headers
  }

  #jar(url: string): Map<string, string> {
    const { port } = new URL(url)
    const jar = this.#jars.get(port) ?? new Map<string, string>()
    this.#jars.set(port, jar)
    return jar
  }

  cookie(name: string): string | undefined {
    return this.#jar(this.#baseUrl).get(name)
  }

  plant(name: string, value: string): void {
    this.#jar(this.#baseUrl).set(name, value)
  }

  /**
   * Sends a request without following redirects. Requests that a delayed process has refused unread (D12.6) are repeated, as people do: a
   * test of what a service does with requests does not judge the machine that it runs on.
   */
  async ask(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    for (;;) {
      const response = await this.#askOnce(url, form)
      if (response.headers.get("content-type") !== "application/problem+json") return response
      const { code } = await response.clone().json() as { readonly code: string }
      if (code !== "OVERLOADED") return response
    }
  }

  async #askOnce(url: string, form: Readonly<Record<string, string>> | undefined): Promise<Response> {
    const jar = this.#jar(url)
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, {
      redirect: "manual",
      headers: { ...this.#headers, cookie, origin: new URL(url).origin },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  at(path: string): Promise<Response> {
    return this.ask(`${this.#baseUrl}/dashboard${path}`)
  }

  /** Signs in at the provider; returns our address to which it sends the browser back. */
  async approve(
    subject: string,
    from = `${this.#baseUrl}/dashboard/sign-in/provider`
  ): Promise<string> {
    let url = from
    let response = await this.ask(url)
    for (;;) {
      const location = response.headers.get("location")
      if (location !== null) {
        url = new URL(location, url).href
        if (url.startsWith(`${this.#baseUrl}/dashboard/sign-in/callback`)) return url
        response = await this.ask(url)
        continue
      }
      const page = await response.text()
      assert.strictEqual(response.status, 200, page)
      const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(page)!
      url = new URL(action, url).href
      const isLogin = page.includes(`name="login"`)
      response = await this.ask(
        url,
        isLogin ? { prompt: "login", login: subject, password: "any" } : { prompt: "consent" }
      )
    }
  }

  /** Signs in; returns our answer. */
  async signIn(subject: string, next?: string): Promise<Response> {
    const query = next === undefined ? "" : `?${new URLSearchParams({ next })}`
    return this.ask(await this.approve(subject, `${this.#baseUrl}/dashboard/sign-in/provider${query}`))
  }

  /** The person who has signed in; `undefined` for nobody. */
  async who(): Promise<{ readonly name: string; readonly businesses: ReadonlyArray<object> } | undefined> {
    const response = await this.at("/session")
    return response.status === 200 ? await response.json() as Awaited<ReturnType<Agent["who"]>> : undefined
  }
}
