/** The rule `dockline/rooms` of the linter: rooms import downwards only, as {@link fault} judges it. */
import { dirname, relative, resolve } from "node:path"
import { fault, root } from "./Rooms.ts"

/** What the rule needs of a statement that imports, or exports what another file has. */
interface Statement {
  readonly source?: { readonly value: unknown } | null
}

/** What the rule needs of the linter. */
interface Context {
  readonly filename: string
  readonly report: (report: { readonly node: Statement; readonly message: string }) => void
}

const create = (context: Context) => {
  const check = (node: Statement): void => {
    const name = node.source?.value
    if (typeof name !== "string" || !name.startsWith(".")) return
    const imported = relative(root, resolve(dirname(context.filename), name))
    const message = fault(relative(root, context.filename), imported)
    if (message !== undefined) context.report({ node, message })
  }
  return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check }
}

export default { meta: { name: "dockline" }, rules: { rooms: { create } } }
