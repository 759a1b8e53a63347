import express from 'express';
import { createServer } from 'node:http';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  CatalogServiceService,
  type GetProductResponse,
} from '@billing/proto/billing/catalog/v1/catalog';
import { toJsonProduct } from '@billing/proto/json/product';

// The minimal program that turns GET /v1/products/:id into a gRPC call and its response into JSON.

const { GRPC_ADDRESS = '', HTTP_PORT = '' } = process.env;

const catalog = new Client(GRPC_ADDRESS, credentials.createInsecure());
const { path, requestSerialize, responseDeserialize } = CatalogServiceService.getProduct;

const app = express();
app.set('etag', false);
app.set('query parser', 'simple');
app.disable('x-powered-by');
app.get('/v1/products/:id', (request, response) => {
  catalog.makeUnaryRequest(
    path,
    requestSerialize,
    responseDeserialize,
    { id: request.params.id },
    new Metadata(),
    (error: Error | null, answer?: GetProductResponse) => {
      if (error !== null || answer?.product === undefined) {
        response.writeHead(500).end();
        return;
      }
      const bytes = Buffer.from(JSON.stringify(toJsonProduct(answer.product)));
      response
        .writeHead(200, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': bytes.length,
        })
        .end(bytes);
    },
  );
});
createServer({ keepAliveTimeout: 65_000 }, app).listen(Number(HTTP_PORT), '127.0.0.1', () => {
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
