/** What `dockline-server --help` says. */
import { table } from "./SettingsTable.ts"

/** The words of the Markdown of a table, for a terminal. */
const plain = (text: string): string => text.replaceAll("`", "")

/** How the program is called, and every setting with its kind, its default and its meaning. */
export const help = [
  "dockline-server: the Dockline server, REST, GraphQL and webhooks on one port",
  "",
  "  dockline-server [serve]     serve until SIGTERM or Ctrl-C",
  "  dockline-server check       say what would go wrong; ends with 1 if a problem is found",
  "  dockline-server migrate     bring the schema of the database up to date, and end",
  "  dockline-server --help      show this",
  "  dockline-server --version   show the version",
  "",
  "Settings are environment variables:",
  ...table.flatMap(({ default: value, kind, meaning, name }) => [
    "",
    `  ${name}  (${plain(kind)}; default: ${plain(value)})`,
    `      ${plain(meaning)}`
  ])
].join("\n")
