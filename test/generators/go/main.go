// The first document through oapi-codegen.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"dockline.example/first/dockline"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	bearer := ""
	client := must(dockline.NewClientWithResponses(os.Getenv("DOCKLINE_URL"),
		dockline.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			if bearer != "" {
				request.Header.Set("Authorization", "Bearer "+bearer)
			}
			return nil
		})))
	id, secret, audience := os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"), os.Getenv("AUDIENCE")
	token := must(client.RequestTokenWithResponse(ctx, dockline.TokenRequest{
		GrantType:    "client_credentials",
		ClientId:     id,
		ClientSecret: secret,
		Audience:     audience,
	}))
	bearer = token.JSON200.AccessToken

	number, lpn, sku := "PO-GO", "GO-1", "SKU-1"
	unit := dockline.DocumentItemQuantityUnit("CASE")
	strategy := dockline.DocumentOrderItemUpdateStrategy("OVERWRITE")
	submit := func(quantity float32) *dockline.SubmitDocumentResponse {
		return must(client.SubmitDocumentWithResponse(ctx, nil, dockline.Document{
			Business:                "acme",
			Facility:                "east",
			Direction:               "INBOUND",
			OrderNumber:             &number,
			OrderItemUpdateStrategy: &strategy,
			Items:                   &[]dockline.DocumentItem{{Lpn: &lpn, Sku: &sku, Quantity: &quantity, QuantityUnit: &unit}},
		}))
	}

	taken := submit(3)
	shipment := must(client.GetShipmentWithResponse(ctx, taken.JSON201.Shipment.Id))
	orders := must(client.ListOrdersWithResponse(ctx, &dockline.ListOrdersParams{OrderNumber: &number}))
	refused := submit(-1)
	fmt.Println(shipment.JSON200.Status, len(orders.JSON200.Items), refused.StatusCode(),
		*refused.ApplicationproblemJSON422.Code)
}
