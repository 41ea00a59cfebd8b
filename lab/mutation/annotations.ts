/**
 * Leaves out what is written for readers of schemas: names and descriptions in `.annotate({ … })`, and the descriptions with which
 * fields are made (`FieldTable.text("Lot number")`, `shownText("Business slug")`). They show in the OpenAPI document and decide nothing; the
 * tests of that document hold them. What else a field is made with, such as its vocabulary, is a rule and stays.
 */
/** As much of a node of the syntax tree as is looked at. */
interface Node {
  readonly type: string
  readonly name?: string
  readonly arguments?: ReadonlyArray<Node>
  readonly callee?: { readonly name?: string; readonly object?: Node; readonly property?: Node }
}

/** A place in the syntax tree. */
export interface Place {
  readonly node?: Node
  readonly parent?: Node
}

/** The functions that make a field of an answer or a message of its description. */
const fieldMakers: ReadonlySet<string> = new Set(["orderNumbers", "shownText"])

/** The tables of fields (`values/FieldTable.ts`), by the name under which they are imported. */
export const fieldTable = "FieldTable"

const isAnnotation = ({ node, parent }: Place): boolean =>
  node?.type === "ObjectExpression" && parent?.type === "CallExpression" &&
  parent.callee?.property?.name === "annotate"

/** The description is the last of what a field is made with. */
const isDescription = ({ node, parent }: Place): boolean =>
  node?.type === "StringLiteral" && parent?.type === "CallExpression" && parent.arguments?.at(-1) === node &&
  (parent.callee?.object?.name === fieldTable || fieldMakers.has(parent.callee?.name ?? ""))

/** Why a place is left out; `undefined` for one that is mutated. */
export const shouldIgnore = (place: Place): string | undefined =>
  isAnnotation(place)
    ? "an annotation of a schema"
    : isDescription(place)
    ? "the description of a field"
    : undefined

/** What Stryker loads. */
export const strykerPlugins = [{ kind: "Ignore", name: "annotations", value: { shouldIgnore } }]
