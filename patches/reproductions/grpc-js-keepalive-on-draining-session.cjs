const grpc = require('@grpc/grpc-js');

// A method whose messages are bytes: no proto file is needed.
const method = {
  path: '/test.Test/Wait',
  requestStream: false,
  responseStream: false,
  requestSerialize: (text) => Buffer.from(text),
  requestDeserialize: String,
  responseSerialize: (text) => Buffer.from(text),
  responseDeserialize: String,
};
const server = new grpc.Server({
  'grpc.max_connection_age_ms': 1_000, // GOAWAY after a second
  'grpc.max_connection_age_grace_ms': 60_000, // calls in flight may end
  'grpc.keepalive_time_ms': 1_500,
  'grpc.keepalive_timeout_ms': 1_000,
});
server.addService(
  { wait: method },
  { wait: (_call, callback) => setTimeout(callback, 6_000, null, 'done') },
);
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, port) => {
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  client.makeUnaryRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    'wait',
    (error, answer) => {
      console.log(error ? `cut: ${error.message}` : `answered: ${answer}`);
      process.exit();
    },
  );
});
