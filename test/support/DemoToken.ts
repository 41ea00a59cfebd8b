/** Tokens of the clients that a server with demo data has. */

/** A demo client's token for GraphQL and REST; by default clients use the server's own address. */
export const tokenOf = async (baseUrl: string, clientId: string, serviceUrl = baseUrl): Promise<string> => {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_id: clientId,
      client_secret: `${clientId}-secret`,
      audience: `${serviceUrl}/public_graphql`,
      grant_type: "client_credentials"
    })
  })
  if (response.status !== 200) throw new Error(`${clientId} gets no token: ${response.status}`)
  return ((await response.json()) as { readonly access_token: string }).access_token
}
