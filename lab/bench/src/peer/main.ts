/**
 * Starts the peer by its environment: DATABASE_URL, DATABASE_CONNECTIONS, PORT, ISSUER, AUDIENCE and PUBLIC_JWK. SIGTERM stops it.
 */
import { setting } from "../Serve.ts"
import { makeAuthenticate } from "./Auth.ts"
import { connect } from "./Database.ts"
import { make } from "./Server.ts"

const sql = connect(setting("DATABASE_URL"), Number(setting("DATABASE_CONNECTIONS")))
const authenticate = await makeAuthenticate(
  sql,
  setting("PUBLIC_JWK"),
  setting("ISSUER"),
  setting("AUDIENCE")
)
const app = make(sql, authenticate)

process.once("SIGTERM", () => {
  void app.close().then(() => sql.end({ timeout: 5 }))
})

await app.listen({ host: "127.0.0.1", port: Number(setting("PORT")) })
