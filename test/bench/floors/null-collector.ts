import { createServer } from 'node:http';

// Takes what an OpenTelemetry exporter sends, and forgets it.

createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
}).listen(Number(process.env.HTTP_PORT), '127.0.0.1', () => {
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
