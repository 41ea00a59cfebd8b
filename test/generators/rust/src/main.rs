//! The first document through openapi-generator.

use dockline::apis::access_tokens_api::request_token;
use dockline::apis::configuration::Configuration;
use dockline::apis::documents_api::submit_document;
use dockline::apis::shipments_and_orders_api::{get_shipment, list_orders};
use dockline::apis::Error;
use dockline::models::document::{Direction, OrderItemUpdateStrategy};
use dockline::models::document_item::QuantityUnit;
use dockline::models::token_request::GrantType;
use dockline::models::{Document, DocumentItem, Problem, TokenRequest};
use std::env::var;

fn document(quantity: f64) -> Document {
    Document {
        order_number: Some("PO-RUST".to_owned()),
        items: Some(vec![DocumentItem {
            lpn: Some("RUST-1".to_owned()),
            sku: Some("SKU-1".to_owned()),
            quantity: Some(quantity),
            quantity_unit: Some(QuantityUnit::Case),
            ..Default::default()
        }]),
        order_item_update_strategy: Some(OrderItemUpdateStrategy::Overwrite),
        ..Document::new("acme".to_owned(), "east".to_owned(), Direction::Inbound)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut service = Configuration { base_path: var("DOCKLINE_URL")?, ..Configuration::new() };
    let token = request_token(
        &service,
        TokenRequest {
            client_id: var("CLIENT_ID")?,
            client_secret: var("CLIENT_SECRET")?,
            audience: var("AUDIENCE")?,
            grant_type: GrantType::ClientCredentials,
        },
    )
    .await?;
    service.bearer_access_token = Some(token.access_token);

    let taken = submit_document(&service, document(3.0), None, None, None, None).await?;
    let shipment = get_shipment(&service, taken.shipment.id).await?;
    let orders = list_orders(&service, None, None, Some("PO-RUST"), None, None).await?;
    let refused = submit_document(&service, document(-1.0), None, None, None, None).await;
    let Err(Error::ResponseError(answer)) = refused else { panic!("A negative quantity was taken") };
    // `entity` is of the first kind of refusal whose form fits, whatever the status.
    let problem: Problem = serde_json::from_str(&answer.content)?;
    println!(
        "{} {} {} {}",
        serde_json::to_value(shipment.status)?.as_str().unwrap_or_default(),
        orders.items.len(),
        answer.status.as_u16(),
        problem.code.unwrap_or_default()
    );
    Ok(())
}
