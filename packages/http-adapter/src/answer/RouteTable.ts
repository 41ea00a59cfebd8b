/** Finds the pattern and the methods of a path, so that a known path with another method is answered 405 with `Allow`, not 404 (D4.3). */
import { asRouted } from "@dockline/wire/Path"
import { HttpApi } from "effect/http-api"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

export interface RouteTable {
  /** Whether the path is another spelling of a known path, which a router may accept. */
  readonly isMisspelt: (path: string) => boolean
  /** The methods of a path, sorted; none if the path is unknown. */
  readonly methodsAt: (path: string) => ReadonlyArray<string>
  readonly patternAt: (path: string) => string | undefined
}

export interface RoutePattern {
  readonly method: string
  readonly path: string
}

/** Makes the table. A path with `GET` also has `HEAD`. */
export const make = (patterns: ReadonlyArray<RoutePattern>): RouteTable => {
  const routes = patterns.map(({ method, path }) => ({ method, path, matches: matcher(path) }))
  // Most requests are for paths without parameters.
  const plain = new Set(patterns.map(({ path }) => path).filter((path) => !path.includes(":")))
  return {
    isMisspelt: (path) => {
      const routedPath = asRouted(path)
      return routedPath !== path && routes.some(({ matches }) => matches(routedPath))
    },
    patternAt: (path) => plain.has(path) ? path : routes.find(({ matches }) => matches(path))?.path,
    methodsAt: (path) => {
      const methods = new Set(routes.filter((route) => route.matches(path)).map((route) => route.method))
      if (methods.has("GET")) methods.add("HEAD")
      return Array.from(methods).sort()
    }
  }
}

/** The endpoints of an API, which are patterns too. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<HttpApiEndpoint.Top> => {
  const endpoints: Array<HttpApiEndpoint.Top> = []
  HttpApi.reflect(api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => void endpoints.push(endpoint) })
  return endpoints
}

const matcher = (pattern: string): (path: string) => boolean => {
  const segments = pattern.split("/")
  return (path) => {
    const pathSegments = path.split("/")
    return pathSegments.length === segments.length && !path.includes(";") &&
      segments.every((segment, index) =>
        segment.startsWith(":") ? pathSegments[index] !== "" : segment === pathSegments[index]
      )
  }
}
