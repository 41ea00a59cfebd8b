/**
 * The rule `names/participle` of the linter: a declared name is a noun, not a participle that lacks one.
 *
 * Guarantee: it only reports declarations. Uses of a name, and the keys of objects, follow their declarations.
 */

/** Participles with irregular endings. */
const irregular =
  "given found known shown taken told held made said seen sent kept written begun drawn thrown chosen lost left got lent woken "
  + "withdrawn meant gone cut built bound broken driven paid understood brought caught spoken stolen undone spent split"

const irregulars: ReadonlySet<string> = new Set(irregular.split(" "))

/** Nouns that only look like participles. */
const nouns: ReadonlySet<string> = new Set(["embed", "feed", "need", "red", "seed", "speed"])

/**
 * Participles that are allowed as names: those that say whether something is so, those for a test's expectations, and those that the
 * contract counts.
 */
const adjectives: ReadonlySet<string> = new Set(
  ("enabled disabled required expected unexpected closed ended expired paused blocked shared malformed unchanged overloaded "
    + "destroyed destroyed unauthenticated supported unsupported repeated replayed created updated removed arrived departed")
    .split(" ")
)

/** Whether a name is a participle without its noun: `found` and `Found` are, `foundAt` and `storedHash` are not. */
export const isParticiple = (name: string): boolean => {
  const word = name.toLowerCase()
  return /^[A-Za-z][a-z]+$/.test(name) &&
    (irregulars.has(word) || word.endsWith("ed") && !nouns.has(word) && !adjectives.has(word))
}

/** The part of a node of the syntax tree that the rule needs. */
interface Node {
  readonly type: string
  readonly name?: string
}

/** The part of the linter that the rule needs. */
interface Context {
  readonly report: (report: { readonly node: Node; readonly message: string }) => void
}

type Pattern = Node & {
  readonly left?: Pattern
  readonly argument?: Pattern
  readonly parameter?: Pattern
  readonly elements?: ReadonlyArray<Pattern | null>
  readonly properties?: ReadonlyArray<Pattern & { readonly shorthand?: boolean; readonly value?: Pattern }>
}

/** The names that a pattern declares, except those of properties, which are declared with their types. */
const namesOf = (pattern: Pattern): ReadonlyArray<Node> => {
  switch (pattern.type) {
    case "Identifier":
      return [pattern]
    case "AssignmentPattern":
      return namesOf(pattern.left!)
    case "RestElement":
      return namesOf(pattern.argument!)
    case "TSParameterProperty":
      return namesOf(pattern.parameter!)
    case "ArrayPattern":
      return pattern.elements!.flatMap((element) => element === null ? [] : namesOf(element))
    case "ObjectPattern":
      return pattern.properties!.flatMap((property) =>
        property.type === "RestElement"
          ? namesOf(property)
          : property.shorthand === true
          ? []
          : namesOf(property.value!)
      )
    default:
      return []
  }
}

const create = (context: Context) => {
  const check = (names: ReadonlyArray<Node>): void => {
    const hasRight = names.some(({ name }) => name === "right")
    for (const node of names) {
      const isSide = node.name === "left" && hasRight
      if (isParticiple(node.name!) && !isSide) context.report({ node, message: node.name! })
    }
  }
  const byName = (node: { readonly id?: Node | null }): void => check(node.id ? [node.id] : [])
  const byKey = (node: { readonly key: Node; readonly computed?: boolean }): void =>
    check(node.key.type === "Identifier" && node.computed !== true ? [node.key] : [])
  const byParameters = (node: { readonly id?: Node | null; readonly params: ReadonlyArray<Pattern> }): void =>
    check(node.params.flatMap(namesOf))
  return {
    VariableDeclarator: (node: { readonly id: Pattern }) => check(namesOf(node.id)),
    FunctionDeclaration: (node: { readonly id?: Node | null; readonly params: ReadonlyArray<Pattern> }) => {
      byName(node)
      byParameters(node)
    },
    FunctionExpression: byParameters,
    ArrowFunctionExpression: byParameters,
    TSFunctionType: byParameters,
    TSMethodSignature: (node: { readonly key: Node; readonly params: ReadonlyArray<Pattern> }) => {
      byKey(node)
      byParameters(node)
    },
    TSPropertySignature: byKey,
    PropertyDefinition: byKey,
    MethodDefinition: byKey,
    ClassDeclaration: byName,
    TSInterfaceDeclaration: byName,
    TSTypeAliasDeclaration: byName,
    TSTypeParameter: (node: { readonly name: Node }) => check([node.name])
  }
}

export default { meta: { name: "names" }, rules: { participle: { create } } }
