// A client of Kargo, generated from the names of its public schema: it reads a shipment and the history, and follows messages.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"dockline.example/foreign/kargo"
	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// bearer sends the token with each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(request)
}

// dialer opens the web sockets of the client.
type dialer struct{ *websocket.Dialer }

func (d dialer) DialContext(ctx context.Context, url string, header http.Header) (graphql.WSConn, error) {
	connection, _, err := d.Dialer.DialContext(ctx, url, header)
	return connection, err
}

// shipmentOf is the shipment that a message is about, by the name that clients of Kargo know.
func shipmentOf(message string) string {
	var payload struct {
		KargoShipmentID string `json:"kargoShipmentId"`
	}
	if err := json.Unmarshal([]byte(message), &payload); err != nil {
		log.Fatal(err)
	}
	return payload.KargoShipmentID
}

func main() {
	ctx := context.Background()
	url, token := os.Getenv("KARGO_URL"), os.Getenv("TOKEN")
	client := graphql.NewClient(url, &http.Client{Transport: bearer{token}})

	history := must(kargo.History(ctx, client, "2024-01-01T00:00:00Z", "acme"))
	id := must(strconv.Atoi(shipmentOf(history.PushMessages[0].Message)))
	shipment := must(kargo.ReadShipment(ctx, client, id)).Shipment
	fmt.Println("read", len(history.PushMessages), history.PushMessages[0].MessageType,
		shipment.CustomerShipmentIdentifier, shipment.Status, shipment.Orders[0].Items[0].Quantity)

	socket := graphql.NewClientUsingWebSocket(
		strings.Replace(url, "http", "ws", 1),
		dialer{websocket.DefaultDialer},
		graphql.WithConnectionParams(map[string]any{"authorization": "Bearer " + token}),
	)
	failures := must(socket.Start(ctx))
	messages, subscription, err := kargo.Follow(ctx, socket, "acme")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("following")
	select {
	case message := <-messages:
		if message.Errors != nil {
			log.Fatal(message.Errors)
		}
		pushed := message.Data.PushMessage
		fmt.Println("followed", pushed.MessageType, shipmentOf(pushed.Message) == strconv.Itoa(id))
	case failure := <-failures:
		log.Fatal(failure)
	}
	// The client's own Close unsubscribes after its closing frame, which the socket refuses.
	if err := socket.Unsubscribe(subscription); err != nil {
		log.Fatal(err)
	}
}
