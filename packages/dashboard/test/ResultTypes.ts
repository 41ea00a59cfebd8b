/** Writes the TypeScript types of GraphQL operations: of their variables and of their results. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  typeFromAST
} from "graphql"
import type {
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode
} from "graphql"

/** The scalars as JSON has them. */
const scalars: Readonly<Record<string, string>> = {
  Boolean: "boolean",
  DateTime: "string",
  Float: "number",
  ID: "string",
  Int: "number",
  JSON: "Readonly<Record<string, unknown>>",
  Long: "number",
  MessageId: "number",
  String: "string"
}

const leaf = (type: GraphQLNamedType): string =>
  isEnumType(type)
    ? type.getValues().map(({ name }) => JSON.stringify(name)).join(" | ")
    : scalars[type.name] ?? fail(type.name)

const fail = (name: string): never => {
  throw new Error(`The scalar ${name} has no type yet`)
}

const indent = (lines: string): string => lines.replaceAll(/^/gm, "  ")

const object = (fields: ReadonlyArray<string>): string => `{\n${indent(fields.join("\n"))}\n}`

const result = (type: GraphQLOutputType, selected: SelectionSetNode | undefined): string => {
  if (!isNonNullType(type)) return `${present(type, selected)} | null`
  return present(type.ofType, selected)
}

const present = (type: GraphQLOutputType, selected: SelectionSetNode | undefined): string => {
  if (isListType(type)) return `ReadonlyArray<${result(type.ofType, selected)}>`
  return isObjectType(type) ? objectResult(type, selected) : leaf(getNamedType(type))
}

const objectResult = (type: GraphQLNamedType, selected: SelectionSetNode | undefined): string => {
  if (!isObjectType(type)) return fail(type.name)
  return object((selected?.selections ?? []).map((selection) => {
    if (selection.kind !== "Field") throw new Error("The pages ask for fields without fragments")
    const { alias, directives = [], name, selectionSet } = selection
    const field = type.getFields()[name.value]!
    const key = (alias ?? name).value + (directives.length === 0 ? "" : "?")
    return `readonly ${key}: ${result(field.type, selectionSet)}`
  }))
}

const input = (type: GraphQLInputType): string => {
  if (isNonNullType(type)) return given(type.ofType)
  return `${given(type)} | null | undefined`
}

const given = (type: GraphQLInputType): string => {
  if (isListType(type)) return `ReadonlyArray<${input(type.ofType)}>`
  if (!isInputObjectType(type)) return leaf(getNamedType(type))
  return object(Object.values(type.getFields()).map((field) => parameter(field.name, field.type)))
}

const parameter = (name: string, type: GraphQLInputType): string =>
  `readonly ${name}${isNonNullType(type) ? "" : "?"}: ${input(type)}`

const operation = (schema: GraphQLSchema, text: string): string => {
  const node = parse(text).definitions[0] as OperationDefinitionNode
  const name = node.name!.value
  const variables = (node.variableDefinitions ?? []).map(({ type, variable }) =>
    parameter(variable.name.value, typeFromAST(schema, type as never) as GraphQLInputType)
  )
  const root = schema.getRootType(node.operation)!
  return [
    `/** The variables of the operation \`${name}\`. */`,
    `export interface ${name}Variables ${object(variables)}`,
    "",
    `/** The result of the operation \`${name}\`. */`,
    `export interface ${name}Result ${objectResult(root, node.selectionSet)}`
  ].join("\n")
}

/** The module with the types of the operations. */
export const write = (schema: GraphQLSchema, texts: ReadonlyArray<string>): string =>
  [
    "/** The types of what pages ask for, made by `packages/dashboard/test/Results.test.ts`. */",
    ...texts.map((text) => operation(schema, text))
  ].join("\n\n") + "\n"
