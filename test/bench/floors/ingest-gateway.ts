import express from 'express';
import { createServer } from 'node:http';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  type IngestEventsResponse,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';

// The minimal program that turns POST /v1/events/ingest into a gRPC call and its response into
// JSON.

const { GRPC_ADDRESS = '', HTTP_PORT = '' } = process.env;
const bytesMax = 1024 * 1024;

const metering = new Client(GRPC_ADDRESS, credentials.createInsecure());
const { path, requestSerialize, responseDeserialize } = MeteringServiceService.ingestEvents;

const app = express();
app.set('etag', false);
app.set('query parser', 'simple');
app.disable('x-powered-by');
app.post(
  '/v1/events/ingest',
  express.raw({ limit: bytesMax, type: 'application/json' }),
  (request, response) => {
    metering.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { body: request.body as Buffer },
      new Metadata(),
      (error: Error | null, answer?: IngestEventsResponse) => {
        if (error !== null || answer === undefined) {
          response.writeHead(500).end();
          return;
        }
        const { accepted, duplicates, rejected } = answer;
        const bytes = Buffer.from(JSON.stringify({ accepted, duplicates, rejected }));
        response
          .writeHead(201, {
            'Content-Type': 'application/json; charset=utf-8',
            'Content-Length': bytes.length,
          })
          .end(bytes);
      },
    );
  },
);
createServer({ keepAliveTimeout: 65_000 }, app).listen(Number(HTTP_PORT), '127.0.0.1', () => {
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
