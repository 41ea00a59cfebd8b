/** What `dockline-server check` finds, each as one line. */

/** How bad it is: a `problem` keeps the server, or a part of it, from working; a `warning` is for people to judge. */
export type Level = "ok" | "warning" | "problem"

/** One finding; the text of a warning and of a problem ends with what to do. */
export interface Finding {
  readonly level: Level
  readonly subject: string
  readonly text: string
}

/** Findings on one subject. */
export const on = (subject: string) => ({
  ok: (text: string): Finding => ({ level: "ok", subject, text }),
  warning: (text: string): Finding => ({ level: "warning", subject, text }),
  problem: (text: string): Finding => ({ level: "problem", subject, text })
})

/** The finding as it is printed. */
export const line = ({ level, subject, text }: Finding): string =>
  `${level.padEnd(7)}  ${subject.padEnd(8)}  ${text.replaceAll(/\s+/g, " ")}`
