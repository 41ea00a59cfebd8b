/**
 * GraphQL.js, as the adapter has it, for the schemas of capabilities: types of another copy are refused by the engine, and a package
 * manager that keeps packages apart gives a capability a copy of its own, or none.
 */
export * from "graphql"
