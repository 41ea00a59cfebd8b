/**
 * Kargo's schema as a part of GraphQL (D17.1): `GraphqlAdapter` serves it where the service has the capability `kargo`.
 *
 * ```ts
 * GraphqlAdapter.layer(config, [kargoGraphql])
 * ```
 */
import type { GraphqlPart } from "@dockline/graphql-adapter/schema/GraphqlPart"
import { kargo } from "./KargoCapability.ts"
import { makeKargoSchema } from "./schema/KargoSchema.ts"
import { parts } from "./SchemaParts.ts"

/** The path of the schema under the base URL, which tokens may name as their audience too. */
export const kargoPath = "/kargo/public_graphql"

/** Kargo's schema. */
export const kargoGraphql: GraphqlPart = {
  name: kargo.name,
  path: kargoPath,
  schemaOf: (services) => makeKargoSchema(services, parts)
}
