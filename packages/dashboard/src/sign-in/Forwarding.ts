/**
 * Leads the requests of pages to the public interfaces: `/dashboard/api/v1/…` is `/v1/…`, and `/dashboard/api/graphql` the
 * GraphQL interface, with the session of the cookie in place of a token, which no script holds (D14.4).
 *
 * Guarantee: a request that another site made the browser send is refused, if it might change something or opens a
 * socket. Without a session a request has no rights; whether the session is good is decided where tokens are judged.
 */
import { Forbidden } from "@dockline/core/Errors"
import { authorizationOf } from "@dockline/core/internal/access/BrowserSessions"
import { correlationHeader } from "@dockline/core/internal/wire/CorrelationId"
import { graphqlPath, isUnder, pathOf } from "@dockline/core/internal/wire/Path"
import * as Problem from "@dockline/core/internal/wire/Problem"
import { endWith } from "@dockline/core/internal/wire/Refusal"
import type { RawSocket } from "@dockline/core/internal/wire/Refusal"
import { root } from "../DashboardConfig.ts"
import type { DashboardConfig } from "../DashboardConfig.ts"
import type { Cookies } from "./Cookie.ts"
import * as Origin from "./Origin.ts"

/** The path under which pages reach the public interfaces. */
export const apiRoot = `${root}/api`

/** The path of GraphQL for pages: its sockets too. */
export const apiGraphqlPath = `${apiRoot}/graphql`

/** The parts of a request that are forwarded; header names are in lower case. */
export interface Forwarded<Headers> {
  readonly url: string
  readonly headers: Headers
}

/** Why a request of a page is refused. */
export const foreign = Problem.problemAs(Forbidden, "This request does not come from a page of the dashboard")

/** Whether a request is for the public interfaces. */
export const isForwarded = (url: string): boolean => isUnder(pathOf(url), apiRoot)

const targetOf = (url: string, graphql: string): string =>
  pathOf(url) === apiGraphqlPath
    ? `${graphql}${url.slice(apiGraphqlPath.length)}`
    : url.slice(apiRoot.length)

/** The request as the interfaces get it, GraphQL under its path; the cookie is not passed on. */
export const forward = <Headers extends Readonly<Record<string, unknown>>>(
  { headers, url }: Forwarded<Headers>,
  cookies: Cookies,
  graphql: string = graphqlPath
): Forwarded<Omit<Headers, "cookie" | "authorization"> & { readonly authorization?: string }> => {
  const { authorization: _, cookie, ...others } = headers
  const secret = cookies.session.read(typeof cookie === "string" ? cookie : undefined)
  return {
    url: targetOf(url, graphql),
    headers: secret === undefined ? others : { ...others, authorization: authorizationOf(secret) }
  }
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
      return endWith(socket, foreign, request.headers[correlationHeader]?.toString())
    }
    const { headers, url } = forward(
      { url: request.url ?? "", headers: request.headers },
      cookies,
      graphql.path
    )
    request.url = url
    request.headers = headers
    graphql.handleUpgrade(request, socket, head)
  },
  // They are closed with the sockets of GraphQL, which they are.
  closeAll: () => Promise.resolve()
})
