/**
 * Forwards the requests of pages to the public interfaces: `/dashboard/api/v1/…` becomes `/v1/…`, and `/dashboard/api/graphql` the path of
 * GraphQL. The session of the cookie takes the place of a token, because scripts have none (D14.4).
 *
 * Guarantee: pages reach nothing else of the service, and each path has one spelling (WIRE.md, D14.1). A request that another site
 * initiated in the browser is refused if it might change something or opens a socket. Without a session, a request has no rights. The
 * authenticator of the interfaces checks the session, as it checks tokens.
 */
import { authorizationOf } from "@dockline/core/access/BrowserSessions"
import { Forbidden } from "@dockline/core/values/Errors"
import { correlationHeader } from "@dockline/wire/AnswerHeaders"
import { graphqlPath, isUnder, pathOf } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { endWith } from "@dockline/wire/Refusal"
import type { RawSocket } from "@dockline/wire/Refusal"
import { root } from "../DashboardConfig.ts"
import type { DashboardConfig } from "../DashboardConfig.ts"
import type { Cookies } from "./Cookie.ts"
import * as Origin from "./Origin.ts"

/** The path under which pages reach the public interfaces. */
export const apiRoot = `${root}/api`

/** The path of GraphQL for pages, including its sockets. */
export const apiGraphqlPath = `${apiRoot}/graphql`

export interface RequestHead<Headers> {
  readonly url: string
  readonly headers: Headers
}

/** The refusal of a request that does not come from a page of the dashboard. */
export const foreignRefusal = (headers: Origin.RequestHeaders, baseUrl: string): Problem.Problem =>
  Problem.problemAs(Forbidden, Origin.fault(headers, baseUrl))

/** Whether a request is for the public interfaces. */
export const isForwarded = (url: string): boolean => isUnder(pathOf(url), apiRoot)

/**
 * The URL of the interface for a request of a page; `graphql` is the path of GraphQL. `undefined` for paths that pages do not use, such as
 * metrics and the reference.
 */
export const targetOf = (url: string, graphql: string = graphqlPath): string | undefined => {
  const path = pathOf(url)
  const query = queryOf(url)
  if (path === apiGraphqlPath) return `${graphql}${query}`
  const target = path.slice(apiRoot.length)
  return target.startsWith("/v1/") && !isUnder(target, "/v1/docs") ? `${target}${query}` : undefined
}

const queryOf = (url: string): string => /[?#][^]*$/.exec(url)?.[0] ?? ""

/** A request to a URL in which the session of the cookie replaces the cookie and any token. */
export const forward = <Headers extends Readonly<Record<string, unknown>>>(
  headers: Headers,
  url: string,
  cookies: Cookies
): RequestHead<Omit<Headers, "cookie" | "authorization"> & { readonly authorization?: string }> => {
  const { authorization: _, cookie, ...others } = headers
  const secret = cookies.session.read(typeof cookie === "string" ? cookie : undefined)
  return {
    url,
    headers: secret === undefined ? others : { ...others, authorization: authorizationOf(secret) }
  }
}

/**
 * A request in the form in which it is counted. A request of a page to an interface gets the interface's path and the session, a request
 * for the dashboard itself gets the session, and any other stays unchanged.
 */
export const countedForm = <Headers extends Readonly<Record<string, unknown>>>(
  request: RequestHead<Headers>,
  cookies: Cookies
): RequestHead<Headers | Omit<Headers, "cookie" | "authorization"> & { readonly authorization?: string }> => {
  if (!isUnder(pathOf(request.url), root)) return request
  const target = isForwarded(request.url) ? targetOf(request.url) : undefined
  return forward(request.headers, target ?? request.url, cookies)
}

/** An upgrade request of `node:http`. */
export interface UpgradeRequest {
  url?: string | undefined
  headers: Record<string, string | Array<string> | undefined>
}

/** Takes over the connections of upgrade requests, such as `WebSockets` of `@dockline/graphql-adapter`. */
export interface Sockets<Request extends UpgradeRequest, Connection extends RawSocket, Head> {
  readonly path: string
  readonly handleUpgrade: (request: Request, socket: Connection, head: Head) => void
  readonly closeAll: () => Promise<void>
}

/** The sockets of pages, to register for the upgrades of {@link apiGraphqlPath}. */
export const sockets = <Request extends UpgradeRequest, Connection extends RawSocket, Head>(
  { baseUrl }: DashboardConfig,
  cookies: Cookies,
  graphql: Sockets<Request, Connection, Head>
): Sockets<Request, Connection, Head> => ({
  path: apiGraphqlPath,
  handleUpgrade: (request, socket, head) => {
    if (!Origin.isOwn(request.headers, baseUrl)) {
      const refusal = foreignRefusal(request.headers, baseUrl)
      return endWith(socket, refusal, request.headers[correlationHeader]?.toString())
    }
    const target = `${graphql.path}${queryOf(request.url ?? "")}`
    const { headers, url } = forward(request.headers, target, cookies)
    request.url = url
    request.headers = headers
    graphql.handleUpgrade(request, socket, head)
  },
  // Closing the sockets of GraphQL closes these, because they are the same.
  closeAll: () => Promise.resolve()
})
