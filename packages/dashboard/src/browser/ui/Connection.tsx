/** Says whether the page is up to date, and how it learns of changes. */
import { connection } from "../api/live.ts"

const states = {
  connecting: ["Connecting", "The connection to the service is being made"],
  live: ["Live", "Changes appear as they happen"],
  polling: [
    "Updated every 5 s",
    "This page asks for changes every 5 seconds: you may not follow the messages that would tell of them"
  ],
  none: ["", ""],
  offline: ["Offline", "No connection to the service; the page goes on by itself once there is one"]
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
