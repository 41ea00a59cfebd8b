/**
 * The adapter's copy of GraphQL.js, for the schemas of capabilities: the engine refuses types of another copy, and a package manager that
 * isolates packages gives a capability another copy or none.
 */
export * from "graphql"
