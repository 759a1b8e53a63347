import { createServer } from 'node:http';

// Accepts the data of an OpenTelemetry exporter and discards them.

createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
}).listen(Number(process.env.HTTP_PORT), '127.0.0.1', () => {
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
