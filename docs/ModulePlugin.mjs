/**
 * Modules in the API reference: called as they are imported (`@dockline/core/document/Plan`), and documented by the comment on top
 * of their file. A namespace that is all of a file has that comment too.
 *
 * TypeDoc would name them by where they lie, and take the comment for theirs only with a tag in it, which would say what
 * everybody sees: that a file is a module.
 */
import { readFileSync } from "node:fs"
import { Comment, Converter, MinimalSourceFile, ReflectionKind } from "typedoc"
import { modules } from "./typedoc.config.mjs"

/** The text of the comment that a file begins with, without its stars. */
const topComment = (text) => {
  const match = /^(?:#!.*\n)?\s*\/\*\*([\s\S]*?)\*\//.exec(text)
  return match?.[1].split("\n").map((line) => line.replace(/^\s*\* ?/, "")).join("\n").trim()
}

/** Called by TypeDoc. */
export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf([ReflectionKind.Module, ReflectionKind.Namespace])) return
    const fileName = context.project.getSymbolIdFromReflection(reflection)?.fileName
    if (fileName === undefined) return
    const name = modules.get(fileName)
    if (name !== undefined && reflection.kindOf(ReflectionKind.Module)) reflection.name = name
    const text = topComment(readFileSync(fileName, "utf8"))
    if (text === undefined || reflection.hasComment()) return
    const { content } = app.converter.parseRawComment(
      new MinimalSourceFile(text, fileName),
      context.project.files
    )
    reflection.comment = new Comment(content)
  })
}
