//! The rounds as the Rust SDK wants them, for both eras.
#![expect(
    deprecated,
    reason = "sampling and roots are deprecated, and still to be refused by clients that lack them"
)]

use crate::pages::Pages;
use crate::rounds::{self, Brought, Question, Step, TOOLS};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
    CreateMessageRequestParams, CustomNotification, ElicitRequest, ElicitRequestParams, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, JsonObject, ListPromptsResult, ListResourcesResult,
    ListRootsRequest, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role,
    SamplingMessage, ServerCapabilities, ServerConfig, ServerNotification, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// URLElicitationRequired of 2025-11-25.
const LINKS_FIRST: ErrorCode = ErrorCode(-32042);

const LINK_COMPLETE: &str =
    "Before 2026-07-28: asks to open a page, waits until it was opened, says so, and asks whether to go on.";
const NEEDS_LINKS: &str =
    "Before 2026-07-28: refuses with -32042 until so many pages were opened, then works once.";

#[derive(Clone)]
pub struct Peer {
    pages: Arc<Pages>,
    forms: Arc<Map<String, Value>>,
    /// Tickets of the links that must be opened before `needs_links` works; empty when it was not called.
    needed: Arc<Mutex<Vec<String>>>,
}

/// What a round ends with.
enum Outcome {
    Ask(InputRequiredResult),
    Done(String),
}

impl Peer {
    pub fn new(pages: Arc<Pages>) -> Self {
        let forms = serde_json::from_str(include_str!("../../forms.json")).unwrap_or_default();
        Self {
            pages,
            forms: Arc::new(forms),
            needed: Arc::default(),
        }
    }

    /// One round for a client of 2026-07-28, all rounds for an older one.
    async fn rounds(
        &self,
        context: &RequestContext<RoleServer>,
        answers: Option<InputResponses>,
        state: Option<String>,
        step: impl Fn(&Brought) -> Step,
    ) -> Result<Outcome, ErrorData> {
        let mut brought = Brought {
            answers: answers.unwrap_or_default().into_iter().collect(),
            state,
        };
        loop {
            let (questions, state) = match step(&brought) {
                Step::Ask { questions, state } => (questions, state),
                Step::Done(told) => return Ok(Outcome::Done(as_text(&told))),
                Step::Unknown => {
                    return Err(ErrorData::invalid_params("there is nothing of this name", None));
                }
            };
            if !is_legacy(context) {
                let requests: InputRequests = questions
                    .into_iter()
                    .map(|(key, question)| Ok((key.to_owned(), self.request(question)?)))
                    .collect::<Result<_, ErrorData>>()?;
                let requests = (!requests.is_empty()).then_some(requests);
                return Ok(Outcome::Ask(InputRequiredResult::new(requests, state)));
            }
            brought = Brought {
                answers: Map::new(),
                state,
            };
            for (key, question) in questions {
                let answer = push(context, self.request(question)?)
                    .await
                    .map_err(|error| told(&error))?;
                brought.answers.insert(key.to_owned(), answer);
            }
        }
    }

    fn request(&self, question: Question) -> Result<InputRequest, ErrorData> {
        Ok(match question {
            Question::Form { message, form } => {
                let schema = self.forms.get(form).cloned().unwrap_or_default();
                InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message,
                    requested_schema: serde_json::from_value(schema)
                        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
                }))
            }
            Question::Link { message, ticket } => {
                InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::UrlElicitationParams {
                    meta: None,
                    message: message.to_owned(),
                    url: self.pages.url(&ticket),
                    elicitation_id: ticket,
                }))
            }
            Question::Sampling => InputRequest::CreateMessage(CreateMessageRequest::new(
                CreateMessageRequestParams::new(vec![SamplingMessage::user_text("Say something.")], 10),
            )),
            Question::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
        })
    }

    /// Asks to open a page, waits until it was opened, says so, and asks whether to go on.
    async fn link_complete(&self, context: &RequestContext<RoleServer>) -> Result<Outcome, ErrorData> {
        let ticket = self.pages.new_ticket();
        let question = Question::Link {
            message: "Open the page",
            ticket: ticket.clone(),
        };
        let answer = push(context, self.request(question)?)
            .await
            .map_err(|error| told(&error))?;
        if answer["action"] == "accept" {
            self.pages.until_visited(&ticket).await;
            let complete = CustomNotification::new(
                "notifications/elicitation/complete",
                Some(json!({"elicitationId": ticket})),
            );
            context
                .peer
                .send_notification(ServerNotification::CustomNotification(complete))
                .await
                .map_err(|error| told(&error))?;
        }
        let confirm = Question::Form {
            message: "Go on?".to_owned(),
            form: "confirm",
        };
        let confirm = push(context, self.request(confirm)?)
            .await
            .map_err(|error| told(&error))?;
        Ok(Outcome::Done(as_text(
            &json!({"page": answer, "confirm": confirm}),
        )))
    }

    /// Refuses until so many pages were opened, then works once.
    fn needs_links(&self, links: u64) -> Result<Outcome, ErrorData> {
        let Ok(mut needed) = self.needed.lock() else {
            return Err(ErrorData::internal_error("a lock is poisoned", None));
        };
        if needed.is_empty() {
            needed.extend((0..links).map(|_| self.pages.new_ticket()));
        }
        let open: Vec<&String> = needed
            .iter()
            .filter(|ticket| !self.pages.was_visited(ticket))
            .collect();
        if open.is_empty() {
            needed.clear();
            return Ok(Outcome::Done(as_text(&json!({"links": links}))));
        }
        let elicitations: Vec<Value> = open
            .iter()
            .map(|ticket| {
                let url = self.pages.url(ticket);
                json!({"mode": "url", "message": "Read the terms", "url": url, "elicitationId": ticket})
            })
            .collect();
        Err(ErrorData::new(
            LINKS_FIRST,
            "Links must be opened first",
            Some(json!({"elicitations": elicitations})),
        ))
    }
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info.name = "rust-peer".to_owned();
        info.server_info.version = "1.0.0".to_owned();
        info.protocol_version = ProtocolVersion::V_2026_07_28;
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<Tool> = TOOLS
            .iter()
            .map(|(name, description, texts)| tool(name, description, "string", texts))
            .collect();
        tools.push(tool("link_complete", LINK_COMPLETE, "string", &[]));
        tools.push(tool("needs_links", NEEDS_LINKS, "integer", &["links"]));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let outcome = match request.name.as_ref() {
            "link_complete" => self.link_complete(&context).await?,
            "needs_links" => self.needs_links(arguments.get("links").and_then(Value::as_u64).unwrap_or(1))?,
            name => {
                self.rounds(
                    &context,
                    request.input_responses,
                    request.request_state,
                    |brought| rounds::tool(name, &arguments, brought, &self.pages),
                )
                .await?
            }
        };
        Ok(match outcome {
            Outcome::Ask(result) => result.into(),
            Outcome::Done(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = Prompt::new("ask_prompt", Some("Asks one form, then holds the answer."), None);
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let outcome = self
            .rounds(
                &context,
                request.input_responses,
                request.request_state,
                |brought| rounds::prompt(&request.name, brought),
            )
            .await?;
        Ok(match outcome {
            Outcome::Ask(result) => result.into(),
            Outcome::Done(text) => {
                GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into()
            }
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            "ask://confirm",
            "confirm",
        )]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let outcome = self
            .rounds(
                &context,
                request.input_responses,
                request.request_state,
                |brought| rounds::resource(&request.uri, brought),
            )
            .await?;
        Ok(match outcome {
            Outcome::Ask(result) => result.into(),
            Outcome::Done(text) => {
                ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into()
            }
        })
    }
}

/// Asks the client of an older revision and waits for its answer.
async fn push(context: &RequestContext<RoleServer>, request: InputRequest) -> Result<Value, ServiceError> {
    let answer = match request {
        InputRequest::Elicitation(request) => {
            serde_json::to_value(context.peer.create_elicitation(request.params).await?)
        }
        InputRequest::CreateMessage(request) => {
            serde_json::to_value(context.peer.create_message(request.params).await?)
        }
        InputRequest::ListRoots(_) => serde_json::to_value(context.peer.list_roots().await?),
        _ => Ok(Value::Null),
    };
    Ok(answer.unwrap_or_default())
}

fn told(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn is_legacy(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_none_or(|version| version.has_initialize())
}

fn tool(name: &'static str, description: &'static str, kind: &str, properties: &[&str]) -> Tool {
    let types: Map<String, Value> = properties
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": kind})))
        .collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(types));
    schema.insert("required".to_owned(), json!(properties));
    Tool::new(name, description, schema)
}

/// JSON text, or the text itself.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
