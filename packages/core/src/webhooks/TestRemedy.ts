/**
 * Tells people what to do about a test message that was not taken (D9.9).
 */
import type { TestOutcome } from "./TestSender.ts"

/** Whether an outcome is a success: any 2xx (D9.3). */
export const isTaken = ({ status }: Pick<TestOutcome, "status">): boolean =>
  status !== null && status >= 200 && status < 300

const byStatus: Readonly<Record<number, string>> = {
  400: "The receiver does not accept the body: it should recognize a test by its webhook-id, and answer 2xx.",
  401:
    "Compare the signing secret, the user name and the password; see whether the receiver's clock is right, and \
whether a proxy changes the body.",
  403:
    "Check the user name and the password, and whether a firewall of the receiver refuses the service's address.",
  404: "Check the base URL: the path of the message type is appended to it.",
  405: "Check the base URL: the receiver accepts no POST there.",
  408: "The receiver waits for more than it was sent: check whether a proxy changes the body.",
  410:
    "410 tells the service to stop: as the answer to a message it disables the endpoint, but not as the answer to a test.",
  413: "Raise the limit of the receiver and of its proxy: a completion may be several MiB large.",
  415: "The receiver should accept the content type of the request.",
  429: "The receiver is overloaded; messages are repeated after its Retry-After."
}

/** What to do, as one or two sentences; `""` for a test that was taken. */
export const remedyOf = (outcome: Pick<TestOutcome, "status" | "unsentBy">): string => {
  const { status, unsentBy } = outcome
  if (isTaken(outcome)) return ""
  if (unsentBy === "SERVICE") return "The operators of the service have to fix this."
  if (unsentBy === "LOGIN") {
    return "Compare the login URL, the user name and the password of the endpoint; with OAuth 2.0 the token URL, the client id and \
its secret."
  }
  if (status === null) {
    return "Compare the base URL; see whether its address is public and speaks https with a valid certificate, and whether \
a firewall lets the service's address through. OUTBOUND_ALLOW opens other networks, for development."
  }
  if (status < 400) return "Check the base URL: redirects are not followed."
  return byStatus[status] ??
    (status < 500
      ? "The receiver refuses the message: its log should say why."
      : "The receiver, or a proxy before it, failed: its log should say why. Messages are repeated.")
}
