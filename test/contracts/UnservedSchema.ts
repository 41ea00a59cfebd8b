/** The schema of GraphQL without services, for tests that read it: no field is resolved. */
import { declaredOperations } from "@dockline/core/capability/DeclaredOperations"
import { defaultRules } from "@dockline/core/document/DocumentInput"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { makeSchema } from "@dockline/graphql-adapter/schema/Schema"
import { capabilities } from "@dockline/server/Capabilities"
import type { GraphQLSchema } from "graphql"

const names = [
  "intake",
  "shipments",
  "pallets",
  "ediFiles",
  "exceptions",
  "search",
  "messages",
  "log",
  "directory",
  "documentReader"
]

/** Makes the schema. */
export const unservedSchema = (): GraphQLSchema => {
  const service = new Proxy({}, { get: () => () => undefined })
  const services = {
    ...Object.fromEntries(names.map((name) => [name, service])),
    config: defaultGraphqlConfig,
    rules: defaultRules,
    registry: { capabilities, operations: declaredOperations(capabilities), handlers: {} }
  }
  return makeSchema(services as unknown as Parameters<typeof makeSchema>[0])
}
