import { Server, ServerCredentials, type handleUnaryCall } from '@grpc/grpc-js';
import {
  CatalogServiceService,
  type GetProductRequest,
  type GetProductResponse,
} from '@billing/proto/billing/catalog/v1/catalog';
import { MongoClient } from 'mongodb';
import { toProtoProduct, type ProductDocument } from './product-document';

// The minimal program that serves a product over gRPC: one find of the driver and the response,
// without any other guarantee of the system.

const { MONGODB_URI = '', MONGODB_DATABASE = '', GRPC_LISTEN = '' } = process.env;

async function serve(): Promise<void> {
  const client = new MongoClient(MONGODB_URI, {
    useBigInt64: true,
    ignoreUndefined: true,
    retryReads: false,
    maxPoolSize: 24,
  });
  await client.connect();
  const products = client.db(MONGODB_DATABASE).collection<ProductDocument>('products');
  const getProduct: handleUnaryCall<GetProductRequest, GetProductResponse> = (call, callback) => {
    products.findOne({ _id: call.request.id }).then(
      (document) => {
        callback(null, { product: document === null ? undefined : toProtoProduct(document) });
      },
      (error: unknown) => {
        callback(error as Error);
      },
    );
  };
  const server = new Server();
  server.addService(CatalogServiceService, { getProduct });
  server.bindAsync(GRPC_LISTEN, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) throw error;
    process.send?.('ready');
  });
}

process.on('disconnect', () => process.exit());
void serve();
