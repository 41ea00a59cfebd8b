/** Moves the ids of messages on after a restore or a promotion, as `dockline message advance` does. */
import { useState } from "preact/hooks"
import { Form } from "./Form.tsx"

export const Advance = () => {
  const [said, setSaid] = useState("")
  return (
    <details class="card losing no-print">
      <summary>After a restore: move the ids of messages on…</summary>
      <p class="said soft" role="status">{said}</p>
      <Form
        route="POST /v1/operator/messages/advance"
        title="Move the ids of messages on"
        word="Move on"
        done={({ newestId }) => setSaid(`The next message gets an id above ${newestId}.`)}
      >
        <p class="soft">
          Do this after the database was restored from a backup, or after a standby was promoted, so that lost
          ids are not used again. Ids never move back.
        </p>
      </Form>
    </details>
  )
}
