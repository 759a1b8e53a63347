const { createServer } = require('node:net');
const { BSON, MongoClient } = require('mongodb');

const hello = {
  ok: 1,
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 2 ** 24,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
};

// Answers every command with a hello, except one of over 1 MB: reads only its beginning.
function replyTo(request) {
  const isQuery = request.readInt32LE(12) === 2004;
  const prefix = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) prefix.writeInt32LE(1, 16);
  const body = BSON.serialize(hello);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + prefix.length + body.length, 0);
  header.writeInt32LE(request.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? 1 : 2013, 12);
  return Buffer.concat([header, prefix, body]);
}
let client;
const server = createServer((socket) => {
  let read = Buffer.alloc(0);
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      read = Buffer.concat([read, chunk]);
      while (read.length >= 16 && read.length >= Math.min(read.readInt32LE(0), 1_000_000)) {
        const length = read.readInt32LE(0);
        if (length > 1_000_000) {
          socket.pause();
          client.close();
          return;
        }
        socket.write(replyTo(read));
        read = read.subarray(length);
      }
    });
});
server.listen(0, '127.0.0.1', async () => {
  client = new MongoClient(`mongodb://127.0.0.1:${server.address().port}`, { retryWrites: false });
  const insert = client
    .db('test')
    .collection('test')
    .insertOne({ text: 'x'.repeat(5_000_000) });
  const outcome = await Promise.race([
    insert.then(
      () => 'stored',
      (error) => `rejected: ${error.name}`,
    ),
    new Promise((resolve) => setTimeout(resolve, 10_000, 'still pending after 10 s')),
  ]);
  console.log(outcome);
  process.exit();
});
