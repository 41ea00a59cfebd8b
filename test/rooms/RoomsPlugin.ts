/** The linter's rule `dockline/rooms`: rooms import only downwards, by {@link fault}. */
import { dirname, relative, resolve } from "node:path"
import { fault, root } from "./Rooms.ts"

/** The part of a statement that the rule needs, which imports or re-exports something of another file. */
interface Statement {
  readonly source?: { readonly value: unknown } | null
}

/** The part of the linter that the rule needs. */
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
