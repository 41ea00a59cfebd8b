/**
 * Leaves out what is written for readers of schemas: names and descriptions in `.annotate({ … })` show in the OpenAPI
 * document and decide nothing; the tests of that document hold them.
 */
/** As much of a node of the syntax tree as is looked at. */
interface Node {
  readonly type: string
  readonly callee?: { readonly property?: { readonly name?: string } }
}

/** A place in the syntax tree. */
interface Place {
  readonly node?: Node
  readonly parent?: Node
}

const isAnnotation = ({ node, parent }: Place): boolean =>
  node?.type === "ObjectExpression" && parent?.type === "CallExpression" &&
  parent.callee?.property?.name === "annotate"

const annotations = {
  shouldIgnore: (place: Place): string | undefined =>
    isAnnotation(place) ? "an annotation of a schema" : undefined
}

/** What Stryker loads. */
export const strykerPlugins = [{ kind: "Ignore", name: "annotations", value: annotations }]
