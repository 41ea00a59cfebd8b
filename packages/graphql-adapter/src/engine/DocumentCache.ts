/**
 * Keeps parsed, limited and validated documents by their text, refused ones too, bounded by count and characters.
 */
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

export class DocumentCache {
  readonly #schema: GraphQLSchema
  readonly #config: GraphqlConfig
  readonly #kept = new Map<string, Judged>()
  #characters = 0
  #tokens = 0

  constructor(schema: GraphQLSchema, config: GraphqlConfig) {
    this.#schema = schema
    this.#config = config
  }

  get(source: string): Judged {
    const kept = this.#kept.get(source)
    if (kept !== undefined) {
      this.#kept.delete(source)
      this.#kept.set(source, kept)
      return kept
    }
    const judged = judge(source, this.#schema, this.#config)
    this.#keep(source, judged)
    return judged
  }

  #keep(source: string, judged: Judged): void {
    const { entries, characters, tokens } = this.#config.documentCache
    // One text must not drive out many.
    if (source.length > characters / 16) return
    this.#kept.set(source, judged)
    this.#characters += source.length
    this.#tokens += tokensOf(judged)
    for (const [oldest, dropped] of this.#kept) {
      if (this.#kept.size <= entries && this.#characters <= characters && this.#tokens <= tokens) return
      this.#kept.delete(oldest)
      this.#characters -= oldest.length
      this.#tokens -= tokensOf(dropped)
    }
  }
}

const tokensOf = (judged: Judged): number => ("kind" in judged ? judged.tokenCount ?? 0 : 0)

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
