/** Shows whether the page is up to date, and whether it follows messages or polls. */
import { connection } from "../api/live.ts"

const states = {
  connecting: ["Connecting", "The page is connecting to the service"],
  live: ["Live", "Changes appear as they happen"],
  polling: [
    "Updated every 5 s",
    "This page asks for changes every 5 seconds, because you may not read the messages of this facility"
  ],
  none: ["", ""],
  offline: [
    "Offline",
    "No connection to the service. The page continues by itself when the connection is back"
  ]
} as const

export const Connection = () => {
  const [label, title] = states[connection.value]
  return (
    <span class="state" data-state={connection.value} title={title} role="status">
      <i />
      <span>{label}</span>
    </span>
  )
}
