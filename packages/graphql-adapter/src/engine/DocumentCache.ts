/** Keeps parsed, limited and validated documents by their text, refused ones too, bounded by count and characters. */
import { GraphQLError, parse, specifiedRules, validate } from "graphql"
import type { DocumentNode, GraphQLSchema } from "graphql"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { clip } from "../resolvers/GraphqlErrors.ts"
import type { GraphqlCode } from "../resolvers/GraphqlErrors.ts"
import { exceeded } from "./Limits.ts"

/** A document that may be executed, or its errors. */
export type Judged = DocumentNode | ReadonlyArray<GraphQLError>

/** The most errors of one answer; finding more costs time. */
const maxErrors = 20

/** Makes the judging of a text, whose answer is kept. The text that was not asked for longest is dropped first. */
export const makeDocuments = (schema: GraphQLSchema, config: GraphqlConfig) => {
  const { characters, entries, tokens } = config.documentCache
  const kept = new Map<string, Judged>()
  let keptCharacters = 0
  let keptTokens = 0
  const count = (source: string, judged: Judged, sign: 1 | -1): void => {
    keptCharacters += sign * source.length
    keptTokens += sign * ("kind" in judged ? judged.tokenCount ?? 0 : 0)
  }
  return (source: string): Judged => {
    const known = kept.get(source)
    const judged = known ?? judge(source, schema, config)
    // One text must not drive out many.
    if (source.length > characters / 16) return judged
    if (known === undefined) count(source, judged, 1)
    kept.delete(source)
    kept.set(source, judged)
    for (const [oldest, dropped] of kept) {
      if (kept.size <= entries && keptCharacters <= characters && keptTokens <= tokens) break
      kept.delete(oldest)
      count(oldest, dropped, -1)
    }
    return judged
  }
}

const judge = (source: string, schema: GraphQLSchema, config: GraphqlConfig): Judged => {
  let document: DocumentNode
  try {
    document = parse(source, { maxTokens: config.limits.tokens })
  } catch (error) {
    // The parser descends with the nesting of a value: the stack may end before the tokens do.
    if (error instanceof RangeError) {
      return [asKept(new GraphQLError("Syntax Error: Document nests too deep."), "GRAPHQL_PARSE_FAILED")]
    }
    if (!(error instanceof GraphQLError)) throw error
    return [asKept(error, "GRAPHQL_PARSE_FAILED")]
  }
  // Our limits first: they bound what GraphQL's own rules, some of them not linear, have to look at.
  const beyond = exceeded(document, config.limits)
  const errors = beyond.length > 0 ? beyond : validate(schema, document, specifiedRules, { maxErrors })
  return errors.length === 0 ? document : errors.map((error) => asKept(error, "GRAPHQL_VALIDATION_FAILED"))
}

/** The error without the nodes of its document, which would be kept with it. */
const asKept = ({ message, source, positions }: GraphQLError, code: GraphqlCode): GraphQLError =>
  new GraphQLError(clip(message), { source, positions, extensions: { code } })
