import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import { systemClock } from '../clock';
import { type GrpcServer, listen } from './grpc-server';
import { createLogger } from '../telemetry/logging';
import { rpcService } from './rpc';

jest.mock('@grpc/reflection', () => {
  const actual = jest.requireActual('@grpc/reflection');
  const create = (...args: unknown[]): unknown => new actual.ReflectionService(...args);
  return { ...actual, ReflectionService: jest.fn(create) };
});

const logger = createLogger({ service: 'test', level: 'silent' });
const neverCalled = () => Promise.reject(new Error('Never called'));
const customers = rpcService<CustomerServiceServer>(CustomerServiceService, {
  getCustomer: neverCalled,
  createCustomer: neverCalled,
  getCustomers: neverCalled,
  identifyCustomers: neverCalled,
  fillCustomer: neverCalled,
  fixCurrency: neverCalled,
  listCustomers: neverCalled,
  updateCustomer: neverCalled,
  deleteCustomer: neverCalled,
});

/** Sends a question as tools do, by the protocol's own contract. */
async function ask(address: string, version: string, question: object): Promise<any> {
  const folder = join(require.resolve('@grpc/reflection'), '../../proto');
  const contract = loadSync(join(folder, `grpc/reflection/${version}/reflection.proto`), {
    oneofs: true,
  });
  const service = contract[`grpc.reflection.${version}.ServerReflection`] as any;
  const method = service.ServerReflectionInfo;
  const client = new Client(address, credentials.createInsecure());
  const deadline = new Date(systemClock.now().getTime() + 60_000);
  try {
    return await new Promise((resolve, reject) => {
      const stream = client.makeBidiStreamRequest<object, object>(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        { deadline },
      );
      stream.once('data', resolve);
      stream.once('error', reject);
      stream.write(question);
      stream.end();
    });
  } finally {
    client.close();
  }
}

describe('reflection', () => {
  const servers: GrpcServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop({ drainDelayMs: 0, graceMs: 200 });
  });

  async function serve(reflection: boolean): Promise<string> {
    const bound = customers({ service: 'test', clock: systemClock, logger });
    const server = await listen('127.0.0.1:0', [bound], { reflection });
    servers.push(server);
    return server.address;
  }

  test.each(['v1', 'v1alpha'])('%s lists the services that this server serves', async (version) => {
    const { listServicesResponse } = await ask(await serve(true), version, { listServices: '*' });
    expect(listServicesResponse.service).toEqual([{ name: 'billing.customer.v1.CustomerService' }]);
  });

  test('describes a service and its messages', async () => {
    const { fileDescriptorResponse } = await ask(await serve(true), 'v1', {
      fileContainingSymbol: 'billing.customer.v1.CustomerService',
    });
    const files = fileDescriptorResponse.fileDescriptorProto.map((file: Buffer) => file.toString());
    expect(files.join()).toContain('GetCustomerRequest');
    expect(files.join()).toContain('google.protobuf');
  });

  // It decodes the files of every definition.
  test('names each file of the contracts once to the library', async () => {
    await ask(await serve(true), 'v1', { listServices: '*' });
    const [[contracts] = []] = jest.mocked(ReflectionService).mock.calls;
    const files = Object.values(contracts ?? {}).flatMap(
      (one) => one.fileDescriptorProtos as Buffer[],
    );
    expect(files.length).toBeGreaterThan(10);
    expect(files).toHaveLength(new Set(files).size);
  });

  test('is absent if it is disabled', async () => {
    await expect(ask(await serve(false), 'v1', { listServices: '*' })).rejects.toMatchObject({
      details: expect.stringContaining('not implement'),
    });
  });
});
