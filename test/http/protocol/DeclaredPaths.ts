/** The contract's declarations of each path, for tests that cover all operations. */
import { defaultRules } from "@dockline/core/document/DocumentInput"
import { withParts } from "@dockline/http-adapter/api/Parts"
import { openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import { capabilities, restParts } from "@dockline/server/Capabilities"

interface Declared {
  readonly security?: ReadonlyArray<unknown>
  readonly parameters?: ReadonlyArray<
    { readonly in: string; readonly name: string; readonly required?: boolean }
  >
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
}

const { paths } = JSON.parse(
  JSON.stringify(openApiOf(defaultRules, true, withParts(capabilities, restParts)))
) as { readonly paths: Readonly<Record<string, Readonly<Record<string, Declared>>>> }

/** The query of a write that needs one: other writes, and reads, have none. */
const queryOf = (method: string, { parameters = [] }: Declared): string => {
  const names = parameters.filter((each) => each.in === "query" && each.required === true)
  return method === "post" && names.length > 0 ? `?${names.map(({ name }) => `${name}=1`).join("&")}` : ""
}

/** Every operation that needs a token, with values for the parameters of its path. */
const all = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, declared]) =>
    method === "parameters" || declared.security?.length === 0
      ? []
      : [{
        path: `${path.replaceAll(/\{\w+\}/g, "1")}${queryOf(method, declared)}`,
        method: method.toUpperCase(),
        declared
      }]
  )
)

/** Every read of clients and operators, including those of capabilities. */
export const reads = all.filter(({ method }) => method === "GET")

/** Every write of clients and operators, including those of capabilities. */
export const writes = all.filter(({ method }) => method !== "GET" && method !== "HEAD")
