import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON, MongoError } from 'mongodb';
import { sleep } from '../clock';
import { connectMongo, isTransient, type MongoConnection } from './mongo';

const headerBytes = 16;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
// More than a socket and the kernel accept in one write.
const large = 'x'.repeat(5_000_000);
const largerThanOthers = 1_000_000;
const hello = {
  ok: 1,
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16 * 1_024 * 1_024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
};

/**
 * A server that answers every command except a large one; it reads only the beginning of that one.
 */
function answerAllButLarge(socket: Socket, onLarge: (socket: Socket) => void): void {
  let read = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    while (read.length >= headerBytes) {
      const length = read.readInt32LE(0);
      if (length > largerThanOthers) {
        socket.pause();
        onLarge(socket);
        return;
      }
      if (read.length < length) return;
      socket.write(replyTo(read));
      read = read.subarray(length);
    }
  });
}

function replyTo(request: Buffer): Buffer {
  const isQuery = request.readInt32LE(12) === opQuery;
  const header = Buffer.alloc(headerBytes);
  const before = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) before.writeInt32LE(1, 16);
  const body = BSON.serialize(hello);
  header.writeInt32LE(headerBytes + before.length + body.length, 0);
  header.writeInt32LE(request.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? opReply : opMsg, 12);
  return Buffer.concat([header, before, body]);
}

// Without the patch of the driver (see patches/ at the root) the first test never ends, and the
// second ends with an error of the socket.
describe('loss of a connection while a large command is written to it', () => {
  let folder: string;
  let server: Server;
  let mongo: MongoConnection;
  let onLarge: (socket: Socket) => void;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-lost-'));
    const path = join(folder, 'mongodb.sock');
    server = createServer((socket) => {
      answerAllButLarge(socket, (one) => {
        onLarge(one);
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const uri = `mongodb://${encodeURIComponent(path)}`;
    mongo = await connectMongo({ uri, database: 'test', service: 'test' });
  });
  afterEach(async () => {
    await mongo.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const failure = () =>
    mongo.db
      .collection('items')
      .insertOne({ large })
      .then(
        () => undefined,
        (error: unknown) => error,
      );

  test('by this side ends the command', async () => {
    const reached = new Promise<void>((resolve) => {
      onLarge = () => {
        resolve();
      };
    });
    const failed = failure();
    await reached;
    await mongo.close();
    expect(await failed).toBeInstanceOf(MongoError);
  });

  test('by the other side is reported as transient', async () => {
    onLarge = (socket) => {
      void sleep(50).then(() => socket.destroy());
    };
    expect(isTransient(await failure())).toBe(true);
  });
});
