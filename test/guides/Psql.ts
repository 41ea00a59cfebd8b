/**
 * A substitute for `psql` in guides: it really runs the statement of `-c` on the database of the first argument, and prints the values of
 * each row with `|` between them, as `psql -qtAX` does. It accepts only these flags.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

const [url = "", flags, command, statement = "", ...others] = process.argv.slice(2)
if (flags !== "-qtAX" || command !== "-c" || others.length > 0) {
  throw new Error("psql <url> -qtAX -c <statement>")
}

const rows = await Effect.runPromise(
  PgClient.PgClient.use((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url) }))
  )
)
const shown = (
  value: unknown
): string => (typeof value === "boolean" ? String(value).slice(0, 1) : String(value ?? ""))

for (const row of rows) console.log(Object.values(row).map(shown).join("|"))
