/** What `dockline-server check` finds, each as one line: wrong settings first, and settings that do not suit the machine. */
import { Effect, Option, Redacted, Result } from "effect"
import * as StartFailure from "../lifecycle/StartFailure.ts"
import * as Misspelt from "../settings/Misspelt.ts"
import type { Setting } from "../settings/Setting.ts"
import type { Settings } from "../settings/Settings.ts"
import { declarations } from "../settings/SettingsTable.ts"

/** How bad it is: a `problem` keeps the server, or a part of it, from working; a `warning` is for people to judge. */
type Level = "ok" | "warning" | "problem"

/** One finding; the text of a warning and of a problem ends with what to do. */
export interface Finding {
  readonly level: Level
  readonly subject: string
  readonly text: string
}

export const on = (subject: string) => ({
  ok: (text: string): Finding => ({ level: "ok", subject, text }),
  warning: (text: string): Finding => ({ level: "warning", subject, text }),
  problem: (text: string): Finding => ({ level: "problem", subject, text })
})

export const line = ({ level, subject, text }: Finding): string =>
  `${level.padEnd(7)}  ${subject.padEnd(8)}  ${text.replaceAll(/\s+/g, " ")}`

/** The findings whose condition holds. */
export const those = (
  rows: ReadonlyArray<readonly [isSo: boolean, finding: Finding]>
): ReadonlyArray<Finding> => rows.filter(([isSo]) => isSo).map(([, finding]) => finding)

const { ok, problem, warning } = on("settings")

/** Each variable that is probably a misspelt setting, and each setting that cannot be read: a start names only the first. */
export const faults: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(
  function*() {
    const misspelt = yield* Misspelt.misspeltNames
    const read = yield* Effect.forEach(
      Object.values<Setting<unknown>>(declarations),
      ({ config }) => Effect.result(config)
    )
    const unread = read.filter(Result.isFailure).map(({ failure }) => StartFailure.reasonOf(failure))
    return [...misspelt, ...unread].map(problem)
  }
)

/** The least length of a secret that cannot be guessed. */
const secretLength = 24

/** What settings that can be read do not suit. */
export const judge = (settings: Settings): ReadonlyArray<Finding> => {
  const { baseUrl, demo, metricsToken, operator } = settings
  const isSecure = new URL(baseUrl).protocol === "https:"
  // The server is for others than the machine itself.
  const isPublic = !settings.metricsLocally
  const isReal = isPublic || Option.isSome(settings.databaseUrl) || operator !== undefined
  const secrets = { OPERATOR_CLIENT_SECRET: operator?.secret, METRICS_TOKEN: metricsToken }
  const short = Object.entries(secrets).flatMap(([name, secret]) =>
    secret !== undefined && Redacted.value(secret).length < secretLength ? [name] : []
  )
  const findings = those([
    [
      demo,
      (isReal ? problem : warning)(
        "demo clients exist, whose secrets everybody knows; set DEMO=false for anything real"
      )
    ],
    [
      isPublic && !isSecure,
      warning(
        "clients send tokens and secrets unencrypted; put a proxy with TLS in front, and its https address into BASE_URL"
      )
    ],
    [
      isSecure && settings.trustedProxies.length === 0,
      warning("all clients behind your proxy count as one; name the networks of the proxy in TRUSTED_PROXIES")
    ],
    [
      isPublic && metricsToken === undefined,
      warning("/metrics is closed; set METRICS_TOKEN to read it")
    ],
    ...short.map((name) =>
      [
        true,
        warning(
          `${name} is shorter than ${secretLength} characters and may be guessed; make one with: openssl rand -hex 32`
        )
      ] as const
    )
  ])
  return findings.length > 0 ? findings : [ok(`can be used; clients reach the server at ${baseUrl}`)]
}
