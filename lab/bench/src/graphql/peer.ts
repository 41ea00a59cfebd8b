/**
 * Starts one peer by its environment: CONTESTANT, DATABASE_URL, DATABASE_CONNECTIONS, PORT, ISSUER, AUDIENCE and PUBLIC_JWK. It appends
 * messages on command of its parent. SIGTERM stops it.
 */
import { makeAuthenticate } from "../peer/Auth.ts"
import { connect } from "../peer/Database.ts"
import { setting } from "../Serve.ts"
import * as Broadcast from "./Broadcast.ts"
import { appendForParent, openLog } from "./Log.ts"
import * as Yoga from "./Yoga.ts"

const url = setting("DATABASE_URL")
const port = Number(setting("PORT"))
const log = await openLog(url, Number(setting("DATABASE_CONNECTIONS")))

appendForParent(log.append)
process.once("SIGTERM", () => void log.close().finally(() => process.exit(0)))

if (setting("CONTESTANT") === "bare") await Broadcast.start(port, log)
else {
  // Grants are read every five seconds; everything else uses the log's own connections.
  const authenticate = await makeAuthenticate(
    connect(url, 1),
    setting("PUBLIC_JWK"),
    setting("ISSUER"),
    setting("AUDIENCE")
  )
  await Yoga.start(port, log, authenticate)
}
