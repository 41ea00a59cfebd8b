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
  "      --distribute            lay it out over the nodes of a Citus cluster, or bring a cluster up to date",
  "      --shards N              how many shards the first distribution makes; 16",
  "      --dry-run               with --distribute: say what would be done, and change nothing",
  "  dockline-server business move BUSINESS --to HOST:PORT",
  "                              move a business, and those of its shard, to a worker of the cluster",
  "      --dry-run               say what would be moved",
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
