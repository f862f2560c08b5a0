//! Calls of Firestore over gRPC.

use std::time::Duration;

use http::uri::PathAndQuery;
use prost::Message;
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use super::failure::{FirestoreError, FirestoreErrorKind};
use super::settings::FirestoreSettings;
use crate::ModelSettings;
use crate::attempt::retry::{MAX_RETRIES, jitter};
use crate::client::user_agent;
use crate::model::{GoogleTokens, http_client};

const SERVICE: &str = "https://firestore.googleapis.com";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long one call may take, its answers included.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of one message: Firestore's own limit of a request.
const MAX_MESSAGE: usize = 10 << 20;

/// Bytes of all answers to one call.
const MAX_ANSWERS: usize = 64 << 20;

/// The one database of most projects.
const DATABASE: &str = "(default)";

pub(super) struct Connection {
    channel: Channel,
    /// None for an emulator.
    tokens: Option<GoogleTokens>,
    database: String,
    /// The database again, as a header.
    resource: MetadataValue<Ascii>,
}

impl Connection {
    pub(super) fn new(settings: &FirestoreSettings, models: &ModelSettings) -> Result<Self, FirestoreError> {
        let tokens = match &settings.emulator {
            Some(_) => None,
            None => Some(GoogleTokens::new(models, http_client()?)?),
        };
        let of_credentials = tokens.as_ref().and_then(GoogleTokens::project);
        let project = settings.project.as_deref().or(of_credentials);
        let project =
            project.ok_or_else(|| unusable("suggestions in Firestore need GOOGLE_CLOUD_PROJECT"))?;
        let database = format!("projects/{project}/databases/{DATABASE}");
        let resource = MetadataValue::try_from(&database)
            .map_err(|_| unusable("GOOGLE_CLOUD_PROJECT holds characters that no project has"))?;
        Ok(Self {
            channel: endpoint(settings.emulator.as_deref())?.connect_lazy(),
            tokens,
            database,
            resource,
        })
    }

    /// The name of the database.
    pub(super) fn database(&self) -> &str {
        &self.database
    }

    /// The name of what all collections are in.
    pub(super) fn documents(&self) -> String {
        format!("{}/documents", self.database)
    }

    /// A call that changes nothing and has any number of answers. It is made again, a few times, where Firestore cannot
    /// be reached.
    pub(super) async fn read<Q, A>(&self, method: &str, request: Q) -> Result<Vec<A>, FirestoreError>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        let mut retry = 0;
        loop {
            match self.answers(method, request.clone()).await {
                Err(error) if error.kind == FirestoreErrorKind::Unavailable && retry < MAX_RETRIES => {
                    tokio::time::sleep(jitter(retry)).await;
                    retry += 1;
                }
                result => return result,
            }
        }
    }

    async fn answers<Q, A>(&self, method: &str, request: Q) -> Result<Vec<A>, FirestoreError>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let request = self.request(request).await?;
        let called = async {
            let mut client = self.client().await?;
            let answer = client
                .server_streaming(request, path(method)?, codec::<Q, A>())
                .await?;
            let mut stream = answer.into_inner();
            let (mut answers, mut size) = (Vec::new(), 0);
            while let Some(answer) = stream.message().await? {
                let answer: A = answer;
                size += answer.encoded_len();
                if size > MAX_ANSWERS {
                    let message =
                        "Firestore holds more than 64 MiB of what is asked for: ask for less at once";
                    return Err(FirestoreError::new(FirestoreErrorKind::Refused, message));
                }
                answers.push(answer);
            }
            Ok(answers)
        };
        self.in_time(called).await
    }

    /// A call with one answer, made once.
    pub(super) async fn write<Q, A>(&self, method: &str, request: Q) -> Result<A, FirestoreError>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let request = self.request(request).await?;
        let called = async {
            let mut client = self.client().await?;
            let answer = client.unary(request, path(method)?, codec::<Q, A>()).await?;
            Ok(answer.into_inner())
        };
        self.in_time(called).await
    }

    async fn in_time<A>(
        &self,
        called: impl Future<Output = Result<A, FirestoreError>>,
    ) -> Result<A, FirestoreError> {
        let result = tokio::time::timeout(TIMEOUT, called).await;
        let result = result.unwrap_or_else(|_| Err(FirestoreError::timeout()));
        if let (Err(error), Some(tokens)) = (&result, &self.tokens)
            && error.kind == FirestoreErrorKind::Unauthenticated
        {
            tokens.forget().await;
        }
        result
    }

    async fn client(&self) -> Result<Grpc<Channel>, Status> {
        let mut client = Grpc::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE);
        let ready = client.ready().await;
        ready.map_err(|error| Status::unavailable(error.to_string()))?;
        Ok(client)
    }

    async fn request<Q>(&self, message: Q) -> Result<Request<Q>, FirestoreError> {
        let mut request = Request::new(message);
        request.set_timeout(TIMEOUT);
        let mut authorization = match &self.tokens {
            Some(tokens) => {
                let bearer = tokens.bearer().await.map_err(|failed| failed.error)?;
                MetadataValue::try_from(bearer.as_bytes())
                    .map_err(|_| unusable("the access token cannot be sent"))?
            }
            // Emulators let the owner in without a token.
            None => MetadataValue::from_static("Bearer owner"),
        };
        authorization.set_sensitive(true);
        let headers = request.metadata_mut();
        headers.insert("authorization", authorization);
        headers.insert("google-cloud-resource-prefix", self.resource.clone());
        Ok(request)
    }
}

fn endpoint(emulator: Option<&str>) -> Result<Endpoint, FirestoreError> {
    let endpoint = match emulator {
        Some(host) => Endpoint::from_shared(format!("http://{host}"))
            .map_err(|_| unusable("FIRESTORE_EMULATOR_HOST is not a host and a port"))?,
        None => Endpoint::from_static(SERVICE)
            .tls_config(ClientTlsConfig::new().with_native_roots())
            .map_err(|_| unusable("the certificates of this machine cannot be used"))?,
    };
    let endpoint = endpoint
        .user_agent(user_agent())
        .map_err(|_| unusable("no user agent"))?;
    Ok(endpoint.connect_timeout(CONNECT_TIMEOUT))
}

fn path(method: &str) -> Result<PathAndQuery, Status> {
    let path = format!("/google.firestore.v1.Firestore/{method}");
    PathAndQuery::try_from(path).map_err(|error| Status::internal(error.to_string()))
}

fn codec<Q, A>() -> ProstCodec<Q, A> {
    ProstCodec::default()
}

fn unusable(message: &str) -> FirestoreError {
    FirestoreError::new(FirestoreErrorKind::Configuration, message)
}

#[cfg(test)]
mod tests {
    use pawl_testkit::{ModelServer, Script};
    use time::OffsetDateTime;

    use super::*;

    #[tokio::test]
    async fn google_is_told_who_asks_and_for_which_database() {
        let google = ModelServer::start(Script::default()).await;
        let variables = google.vertex_variables();
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        let models = ModelSettings::from_variables(variable, || OffsetDateTime::UNIX_EPOCH).unwrap();
        let settings = FirestoreSettings::default();
        let connection = Connection::new(&settings, &models).unwrap();
        let database = connection.database().to_owned();
        assert!(database.starts_with("projects/") && database.ends_with("/databases/(default)"));
        let request = connection.request(()).await.unwrap();
        let header = |name| request.metadata().get(name).unwrap();
        let bearer = header("authorization").to_str().unwrap();
        assert!(bearer.starts_with("Bearer ") && bearer.len() > 10);
        assert!(header("authorization").is_sensitive());
        assert_eq!(header("google-cloud-resource-prefix"), database.as_str());
    }
}
