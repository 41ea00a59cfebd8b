/**
 * Leaves out texts for readers of schemas: names and descriptions in `.annotate({ … })`, and the descriptions of fields
 * (`FieldTable.text("Lot number")`, `shownText("Business slug")`). They appear in the OpenAPI document, whose tests check them, and
 * decide nothing. The other arguments of a field, such as its vocabulary, are rules and stay. It also leaves out the keys of services,
 * which need only differ from each other.
 */
/** The members of a node of the syntax tree that this module reads. */
interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly arguments?: ReadonlyArray<Node>
  readonly callee?: { readonly name?: string; readonly object?: Node; readonly property?: Node }
}

/** A place in the syntax tree. */
export interface Place {
  readonly node?: Node
  readonly parent?: Node
}

/** The functions that make a field of an answer or a message from its description. */
const fieldMakers: ReadonlySet<string> = new Set(["orderNumbers", "shownText", "shownWhole"])

/** The tables of fields (`values/FieldTable.ts`), by the name under which they are imported. */
export const fieldTable = "FieldTable"

const isAnnotation = ({ node, parent }: Place): boolean =>
  node?.type === "ObjectExpression" && parent?.type === "CallExpression" &&
  parent.callee?.property?.name === "annotate"

/** The description is the last argument of a field. */
const isDescription = ({ node, parent }: Place): boolean =>
  node?.type === "StringLiteral" && parent?.type === "CallExpression" && parent.arguments?.at(-1) === node &&
  (parent.callee?.object?.name === fieldTable || fieldMakers.has(parent.callee?.name ?? ""))

const isServiceKey = ({ node }: Place): boolean =>
  node?.type === "StringLiteral" && typeof node.value === "string" && node.value.startsWith("@dockline/")

/** Why a place is left out; `undefined` for one that is mutated. */
export const shouldIgnore = (place: Place): string | undefined =>
  isAnnotation(place)
    ? "an annotation of a schema"
    : isDescription(place)
    ? "the description of a field"
    : isServiceKey(place)
    ? "the key of a service"
    : undefined

/** What Stryker loads. */
export const strykerPlugins = [{ kind: "Ignore", name: "annotations", value: { shouldIgnore } }]
