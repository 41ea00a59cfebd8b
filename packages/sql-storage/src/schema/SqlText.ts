/**
 * Reads the SQL of tables, functions and views from the folder `sql` of a package, whose files psql and editors understand.
 *
 * In a file of functions and views, each statement begins with `create or replace function dockline.` or `create or replace view dockline.`
 * at the beginning of a line, below a comment with its purpose and its guarantee. In a file of a migration each statement ends with a
 * semicolon at the end of a line.
 *
 * Guarantee: a comment outside a statement is not a part of it, so a changed comment does not touch a database.
 */
import { readFileSync } from "node:fs"

const read = (file: URL): string => {
  try {
    return readFileSync(file, "utf8").replaceAll("\r\n", "\n")
  } catch (cause) {
    throw new Error(
      `There is no ${file.href}, which the storage needs: a bundler left it out. Leave the packages of Dockline out of the bundle `
        + "(most bundlers call them external), so that they find their files beside them",
      { cause }
    )
  }
}

const isStatement = (line: string): boolean => !/^\s*(?:--|$)/.test(line)

const isNotComment = (text: string): boolean => text.split("\n").some(isStatement)

/** A text without the comments and empty lines around it, and without the semicolon at its end. */
const statementOf = (text: string): string => {
  const lines = text.split("\n")
  return lines.slice(lines.findIndex(isStatement), lines.findLastIndex(isStatement) + 1).join("\n").replace(
    /;$/,
    ""
  )
}

const heading = /^(?=create or replace (?:function|view) dockline\.)/m

/** The statements of a file that create or replace functions and views. */
export const functionsOf = (file: URL): ReadonlyArray<string> =>
  read(file).split(heading).filter(isNotComment).map(statementOf)

/** The statements of a file of a migration. */
export const statementsOf = (file: URL): ReadonlyArray<string> =>
  read(file).split(/;$/m).filter(isNotComment).map(statementOf)
