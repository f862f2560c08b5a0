// A Firestore for tests. It prints its address as soon as it listens, and ends when its standard input does.
//
// The emulator stores and queries documents. Its transactions all have the same id and its commits look at none, so that
// of writers at the same time the last one wins; commits that fail in the middle stay half written; and a time that a
// document must still have is not compared. Its queries know neither names of documents nor positions to go on from. What
// Firestore does there is done here: a commit is refused (ABORTED) where something that its transaction read has been
// written since, and is written as a whole or not at all; queries are sorted by name at last, and go on.

const { Server, ServerCredentials, status } = require("@grpc/grpc-js");
const { BeginTransactionResponse } = require("@firestore-emulator/proto/dist/google/firestore/v1/firestore");
const { FirestoreState } = require("@firestore-emulator/server");
const { FirestoreServiceV1Impl } = require("@firestore-emulator/server/dist/server/FirestoreServiceV1Impl");

const MAX_DOCUMENT = 1 << 20;
const NAME = "__name__";
const DESCENDING = 2;

// What values of one type are sorted by.
const KINDS = ["string_value", "reference_value", "boolean_value", "integer_value", "double_value", "timestamp_value"];
const sortKey = (value) => (value.seconds === undefined ? value : value.seconds + value.nanos / 1e9);
const keyOfField = (field) => field && sortKey(Object.values(field.toV1ValueObject())[0]);
const keyOfMessage = (message) => sortKey(message[KINDS.find((kind) => message[`has_${kind}`])]);

class SortingState extends FirestoreState {
  v1Query(parent, query) {
    const order = query.order_by.map(({ field, direction }) => ({ path: field.field_path, direction }));
    if (!order.some(({ path }) => path === NAME)) order.push({ path: NAME, direction: order.at(-1)?.direction });
    const { from, has_where, where } = query;
    const found = super.v1Query(parent, { from, has_where, where, order_by: [], has_limit: false });
    const rows = found
      .map((document) => ({ document, values: order.map(({ path }) => (path === NAME ? document.getPath() : keyOfField(document.getField(path)))) }))
      .filter(({ values }) => values.every((value) => value !== undefined));
    // Up to as many values as both have.
    const compare = (one, other) => {
      for (const [index, { direction }] of order.entries()) {
        const [a, b] = [one[index], other[index]];
        if (b === undefined) break;
        const sign = (a > b) - (a < b);
        if (sign !== 0) return direction === DESCENDING ? -sign : sign;
      }
      return 0;
    };
    rows.sort((one, other) => compare(one.values, other.values));
    const { values = [], before = false } = query.has_start_at ? query.start_at : {};
    const start = values.map(keyOfMessage);
    const isAfter = ({ values }) => start.length === 0 || compare(values, start) > (before ? -1 : 0);
    const documents = rows.filter(isAfter).map(({ document }) => document);
    return query.has_limit ? documents.slice(0, query.limit.value) : documents;
  }
}

class SerializingFirestore extends FirestoreServiceV1Impl {
  #state;
  // How often each document and each collection was written.
  #versions = new Map();
  // What each transaction has read, and how often that had been written by then.
  #reads = new Map();
  #begun = 0;

  constructor(state) {
    super(state);
    this.#state = state;
  }

  BeginTransaction(_call, callback) {
    const transaction = Buffer.from(`transaction ${++this.#begun}`);
    this.#reads.set(transaction.toString(), new Map());
    callback(null, new BeginTransactionResponse({ transaction }));
  }

  BatchGetDocuments(call) {
    if (this.#read(call, call.request.documents)) super.BatchGetDocuments(call);
  }

  RunQuery(call) {
    const { parent, structured_query } = call.request;
    const collections = structured_query.from.map(({ collection_id }) => `${parent}/${collection_id}`);
    if (this.#read(call, collections)) super.RunQuery(call);
  }

  Commit(call, callback) {
    const { writes, transaction } = call.request;
    const fault = this.#conflict(transaction) ?? writes.map((write) => this.#fault(write)).find(Boolean);
    this.#reads.delete(Buffer.from(transaction).toString());
    if (fault) return callback(fault, null);
    for (const name of writes.map((write) => write.update.name)) {
      for (const written of [name, name.slice(0, name.lastIndexOf("/"))]) {
        this.#versions.set(written, this.#version(written) + 1);
      }
    }
    super.Commit(call, callback);
  }

  Rollback(call, callback) {
    this.#reads.delete(Buffer.from(call.request.transaction).toString());
    super.Rollback(call, callback);
  }

  #version(name) {
    return this.#versions.get(name) ?? 0;
  }

  #read(call, names) {
    const { transaction } = call.request;
    if (!transaction?.length) return true;
    const reads = this.#reads.get(Buffer.from(transaction).toString());
    if (!reads) {
      call.emit("error", { code: status.INVALID_ARGUMENT, details: "The referenced transaction has expired." });
      return false;
    }
    for (const name of names) if (!reads.has(name)) reads.set(name, this.#version(name));
    return true;
  }

  #conflict(transaction) {
    if (!transaction.length) return undefined;
    const reads = this.#reads.get(Buffer.from(transaction).toString());
    if (!reads) return { code: status.INVALID_ARGUMENT, details: "The referenced transaction has expired." };
    const isStale = [...reads].some(([name, version]) => this.#version(name) !== version);
    return isStale ? { code: status.ABORTED, details: "Too much contention on these documents." } : undefined;
  }

  // About how large a document is after a write: what its mask names is replaced.
  #sizeAfter({ update, has_update_mask, update_mask }) {
    const written = update.serializeBinary().length;
    const document = this.#state.getDocument(update.name);
    if (!has_update_mask || !document.metadata.hasExist) return written;
    const { fields } = document.toV1DocumentObject();
    const at = (path) => path.split(".").reduce((value, name) => value?.map_value?.fields?.[name], { map_value: { fields } });
    const size = (value) => JSON.stringify(value ?? "").length;
    return update_mask.field_paths.reduce((sum, path) => sum - size(at(path)), written + size(fields));
  }

  // Why a write cannot be done.
  #fault(write) {
    const { update, has_current_document, current_document } = write;
    const { metadata } = this.#state.getDocument(update.name);
    if (this.#sizeAfter(write) > MAX_DOCUMENT) {
      return { code: status.INVALID_ARGUMENT, details: `Document exceeds the maximum allowed size of ${MAX_DOCUMENT} bytes.` };
    }
    if (!has_current_document) return undefined;
    if (current_document.has_exists && current_document.exists !== metadata.hasExist) {
      return metadata.hasExist
        ? { code: status.ALREADY_EXISTS, details: `Document already exists: ${update.name}` }
        : { code: status.NOT_FOUND, details: `No document to update: ${update.name}` };
    }
    const { seconds, nanos } = current_document.update_time ?? {};
    const updatedAt = metadata.hasExist ? metadata.updatedAt.getTime() : undefined;
    if (current_document.has_update_time && updatedAt !== seconds * 1e3 + nanos / 1e6) {
      return { code: status.FAILED_PRECONDITION, details: "The stored version does not match the required base version." };
    }
    return undefined;
  }
}

const server = new Server({ "grpc.max_receive_message_length": 16 << 20 });
server.addService(FirestoreServiceV1Impl.definition, new SerializingFirestore(new SortingState()));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`127.0.0.1:${port}`);
});
process.stdin.resume().on("end", () => process.exit(0));
