import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccessTokensApi;
import org.openapitools.client.api.DocumentsApi;
import org.openapitools.client.api.ShipmentsAndOrdersApi;
import org.openapitools.client.model.Document;
import org.openapitools.client.model.DocumentItem;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.TokenRequest;

/** The first document through openapi-generator. */
public class First {
  static Document document(String quantity) {
    return new Document()
        .business("acme")
        .facility("east")
        .direction(Document.DirectionEnum.INBOUND)
        .orderNumber("PO-JAVA")
        .orderItemUpdateStrategy(Document.OrderItemUpdateStrategyEnum.OVERWRITE)
        .addItemsItem(new DocumentItem()
            .lpn("JAVA-1")
            .sku("SKU-1")
            .quantity(new java.math.BigDecimal(quantity))
            .quantityUnit(DocumentItem.QuantityUnitEnum.CASE));
  }

  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.setBasePath(System.getenv("DOCKLINE_URL"));
    var token = new AccessTokensApi(client).requestToken(new TokenRequest()
        .grantType(TokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS)
        .clientId(System.getenv("CLIENT_ID"))
        .clientSecret(System.getenv("CLIENT_SECRET"))
        .audience(System.getenv("AUDIENCE")));
    client.setBearerToken(token.getAccessToken());

    var documents = new DocumentsApi(client);
    var shipments = new ShipmentsAndOrdersApi(client);
    var taken = documents.submitDocument(document("3"), null, null, null, null);
    var shipment = shipments.getShipment(taken.getShipment().getId());
    var orders = shipments.listOrders(null, null, "PO-JAVA", null, null);
    try {
      documents.submitDocument(document("-1"), null, null, null, null);
      throw new IllegalStateException("A document with a negative quantity was taken");
    } catch (ApiException refused) {
      var problem = Problem.fromJson(refused.getResponseBody());
      System.out.println(String.join(" ", List.of(
          shipment.getStatus().getValue(),
          String.valueOf(orders.getItems().size()),
          String.valueOf(refused.getCode()),
          problem.getCode())));
    }
  }
}
