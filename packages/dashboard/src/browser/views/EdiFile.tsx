/** A file of X12: what became of its sets, and its text beside its acknowledgment. */
import { ediFile } from "../api/operations.ts"
import type { EdiFile as File } from "../api/operations.ts"
import { found, run } from "../api/request.ts"
import { href } from "../router.ts"
import { locate } from "../session.ts"
import { Empty, Loaded, ThingHead } from "../ui/Frame.tsx"
import { usePolled } from "../ui/loaded.ts"
import { Fact, Heads, Time } from "../ui/Parts.tsx"
import { EdiBadge, nameOf } from "./EdiFiles.tsx"

/** The most characters of a text that are shown: a browser lays out no more without a pause. */
const shownAtMost = 200_000

const shownText = (text: string): string =>
  text.length > shownAtMost
    ? `${text.slice(0, shownAtMost)}\n… ${text.length - shownAtMost} characters more`
    : text

const Sets = ({ shown: { faults, sets } }: { readonly shown: File }) => (
  <section class="card order" aria-labelledby="sets">
    <header class="order-head">
      <h2 id="sets">Sets</h2>
    </header>
    {faults.map((fault) => <p key={fault} class="removed">{fault}</p>)}
    {sets.length === 0 ? <Empty title="It has no sets" /> : (
      <table class="table cards">
        <Heads names={["Set", "Outcome", "About", "What is wrong"]} />
        <tbody>
          {sets.map(({ control, faults, kind, number, outcome, shipmentId }, at) => (
            <tr key={at}>
              <td class="main mono">{kind} {control}</td>
              <td class="end">
                <EdiBadge outcome={outcome} />
              </td>
              <td class="left">
                {shipmentId === ""
                  ? number || <span class="soft">–</span>
                  : <a href={href(`/shipments/${shipmentId}`)}>{number || `Shipment ${shipmentId}`}</a>}
              </td>
              <td class="wide">
                {faults.length === 0
                  ? <span class="soft">–</span>
                  : faults.map((fault) => <p key={fault}>{fault}</p>)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
)

const Content = ({ shown }: { readonly shown: File }) => {
  const kinds = Array.from(new Set(shown.sets.map(({ kind }) => kind))).sort()
  const title = nameOf({ ...shown, kinds })
  document.title = `${title} · Dockline`
  return (
    <>
      <ThingHead list="edi" at={shown} title={title} badges={<EdiBadge outcome={shown.outcome} />} />
      <section class="card overview" aria-label="Overview">
        <dl class="facts">
          <Fact name={shown.direction === "IN" ? "Came from" : "Went to"}>{shown.partner}</Fact>
          <Fact name={shown.direction === "IN" ? "Came" : "Written"}>
            <Time time={shown.at} near />
          </Fact>
          <Fact name="Control number">
            <span class="mono">{shown.control || "–"}</span>
          </Fact>
        </dl>
      </section>
      <Sets shown={shown} />
      {shown.text === "" ? null : (
        <section class="card exchange" aria-label="Texts">
          <figure>
            <figcaption>As it {shown.direction === "IN" ? "came" : "went"}</figcaption>
            <pre tabindex={0}>{shownText(shown.text)}</pre>
          </figure>
          {shown.answer === "" ? null : (
            <figure>
              <figcaption>Our acknowledgment</figcaption>
              <pre tabindex={0}>{shownText(shown.answer)}</pre>
            </figure>
          )}
        </section>
      )}
    </>
  )
}

/** The view of the file with this id. */
export const EdiFile = ({ id }: { readonly id: string }) => {
  const state = usePolled(id, async () => {
    const shown = await found(
      run(ediFile, { id: Number(id) }),
      `There is no file ${id} that you may see. The record may have dropped it because of its age.`
    )
    locate(`/edi/${id}`, shown)
    return shown
  })
  return (
    <Loaded state={state} head={<ThingHead list="edi" title={`File ${id}`} />}>
      {(shown) => <Content shown={shown} />}
    </Loaded>
  )
}
