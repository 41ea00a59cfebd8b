"""The first document through openapi-python-client."""

from os import environ

from dockline_client import AuthenticatedClient, Client
from dockline_client.api.access_tokens import request_token
from dockline_client.api.documents import submit_document
from dockline_client.api.shipments_and_orders import get_shipment, list_orders
from dockline_client.models import (
    Document,
    DocumentAnswer,
    DocumentDirection,
    DocumentItem,
    DocumentItemQuantityUnit,
    DocumentOrderItemUpdateStrategy,
    OrderPage,
    Problem,
    Shipment,
    TokenRequest,
    TokenRequestGrantType,
    TokenResponse,
)
from dockline_client.types import Response

url = environ["DOCKLINE_URL"]

token = request_token.sync(
    client=Client(base_url=url),
    body=TokenRequest(
        grant_type=TokenRequestGrantType.CLIENT_CREDENTIALS,
        client_id=environ["CLIENT_ID"],
        client_secret=environ["CLIENT_SECRET"],
        audience=environ["AUDIENCE"],
    ),
)
assert isinstance(token, TokenResponse)
client = AuthenticatedClient(base_url=url, token=token.access_token)


def submit(quantity: float) -> Response[DocumentAnswer | Problem]:
    return submit_document.sync_detailed(
        client=client,
        body=Document(
            business="acme",
            facility="east",
            direction=DocumentDirection.INBOUND,
            order_number="PO-PYTHON",
            order_item_update_strategy=DocumentOrderItemUpdateStrategy.OVERWRITE,
            items=[
                DocumentItem(
                    lpn="PY-1", sku="SKU-1", quantity=quantity, quantity_unit=DocumentItemQuantityUnit.CASE
                )
            ],
        ),
    )


taken = submit(3).parsed
assert isinstance(taken, DocumentAnswer)
shipment = get_shipment.sync(taken.shipment.id, client=client)
assert isinstance(shipment, Shipment)
orders = list_orders.sync(client=client, order_number="PO-PYTHON")
assert isinstance(orders, OrderPage)
refused = submit(-1)
assert isinstance(refused.parsed, Problem)
print(shipment.status.value, len(orders.items), refused.status_code.value, refused.parsed.code)
