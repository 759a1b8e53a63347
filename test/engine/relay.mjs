// Passes connections between the network of an engine and a Unix socket, which belongs to no network.
// `relay.mjs out SOCKET`: what connects to the socket names an address in its first line.
// `relay.mjs in HOST PORT SOCKET`: what connects to the address gets to the socket.
import { connect, createServer } from 'node:net';

const [direction, ...operands] = process.argv.slice(2);

function join(client, target, rest) {
  const end = () => {
    client.destroy();
    target.destroy();
  };
  for (const socket of [client, target]) socket.on('error', end).on('close', end);
  if (rest?.length > 0) target.write(rest);
  client.pipe(target).pipe(client);
}

function out(client) {
  let read = Buffer.alloc(0);
  const onData = (chunk) => {
    read = Buffer.concat([read, chunk]);
    const end = read.indexOf('\n');
    if (end === -1) return;
    client.off('data', onData).pause();
    const [host, port] = read.toString('utf8', 0, end).split(' ');
    join(client, connect({ host, port: Number(port) }), read.subarray(end + 1));
  };
  client.on('error', () => undefined).on('data', onData);
}

const server = createServer({ allowHalfOpen: true });
server.once('listening', () => process.stdout.write('listening\n'));
if (direction === 'out') {
  server.on('connection', out).listen(operands[0]);
} else {
  const [host, port, path] = operands;
  server.on('connection', (client) => join(client, connect({ path, allowHalfOpen: true })));
  server.listen(Number(port), host);
}
