select jwt_secret, ingestion_secret, created_at
from _pawl_secrets
