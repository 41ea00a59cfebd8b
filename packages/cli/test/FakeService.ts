/** A service that answers as a test says, over a real socket, for what the real one does only when it is broken. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it came. */
export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly accept: string
  readonly body: string
}

/** Answers one request. */
export type Handler = (request: ServiceRequest, response: ServerResponse) => void

/** A running service. */
export interface FakeService extends AsyncDisposable {
  readonly url: string
  readonly requests: ReadonlyArray<ServiceRequest>
}

/** Answers with JSON. */
export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Handler => (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(
      JSON.stringify(value)
    )

/** Answers with a problem. */
export const problem = (
  status: number,
  fields: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {}
): Handler =>
  json({ type: "about:blank", title: "Title", status, detail: "Detail", ...fields }, status, {
    "content-type": "application/problem+json",
    ...headers
  })

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

const token = json({ access_token: "access-token", token_type: "Bearer", expires_in: 60 })

/** Serves one handler for all operations; tokens are given to everybody unless a test says otherwise. */
export const serve = async (handler: Handler, tokens: Handler = token): Promise<FakeService> => {
  const requests: Array<ServiceRequest> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { headers, method = "", url: path = "" } = request
      const came = {
        method,
        path,
        authorization: headers.authorization ?? "",
        accept: headers.accept ?? "",
        body
      }
      if (path === "/oauth/token") return tokens(came, response)
      requests.push(came)
      return handler(came, response)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** The answer of a service whose list of capabilities leaves out that of the operation. */
export const nothingThere = problem(404, {
  title: "Not Found",
  detail: "nothing there",
  code: "RESOURCE_NOT_FOUND"
})
