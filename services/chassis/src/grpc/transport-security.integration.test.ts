import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import { systemClock } from '../clock';
import { readConfiguration, transportSecurityShape } from '../service/configuration';
import { type GrpcServer, listen } from './grpc-server';
import { isServing, connectPeer } from './peer';
import { createLogger } from '../telemetry/logging';
import { rpcService } from './rpc';
import { Service } from '../service/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';
import { createTestAuthority } from '../testing/network';
import { type TransportSecurity, transportSecurityOf } from './transport-security';

const logger = createLogger({ service: 'test', level: 'silent' });
const ours = createTestAuthority();
const theirs = createTestAuthority();

function writeCertificates(folder: string, { certificate, key, authority }: TransportSecurity) {
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return {
    GRPC_TLS_CERT_FILE: write('tls.crt', certificate),
    GRPC_TLS_KEY_FILE: write('tls.key', key),
    GRPC_TLS_CA_FILE: write('ca.crt', authority),
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing there');
  return value;
}

const neverCalled = () => Promise.reject(new Error('Never called'));
const customers = rpcService<CustomerServiceServer>(
  CustomerServiceService,
  {
    getCustomer: () => Promise.resolve({ customer: undefined }),
    createCustomer: neverCalled,
    getCustomers: neverCalled,
    identifyCustomers: neverCalled,
    fillCustomer: neverCalled,
    fixCurrency: neverCalled,
    listCustomers: neverCalled,
    updateCustomer: neverCalled,
    deleteCustomer: neverCalled,
  },
  {
    callers: {
      getCustomer: ['gateway', 'checkout'],
      createCustomer: ['gateway'],
      getCustomers: ['checkout'],
      identifyCustomers: ['metering'],
      fillCustomer: ['checkout'],
      fixCurrency: ['checkout'],
      listCustomers: ['gateway'],
      updateCustomer: ['gateway'],
      deleteCustomer: ['gateway'],
    },
  },
);

describe('a service that is configured for mutual TLS', () => {
  const security = ours.issue('DNS:localhost,DNS:billing-checkout');
  let server: GrpcServer;
  let address: string;

  beforeAll(async () => {
    const bound = customers({ service: 'test', clock: systemClock, logger, checksCallers: true });
    server = await listen('localhost:0', [bound], { security });
    server.setServing(true);
    address = `dns:///${server.address}`;
  });
  afterAll(async () => {
    await server.stop({ drainDelayMs: 0, graceMs: 200 });
  });

  async function call(caller: TransportSecurity | undefined, target = address): Promise<unknown> {
    const options = { address: target, service: 'test', security: caller };
    const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, options);
    try {
      return await peer.getCustomer({ id: 'x' }, testContext({ deadlineMs: 20_000 }));
    } finally {
      peer.close();
    }
  }

  const health = (caller: TransportSecurity | undefined) =>
    isServing(address, {
      deadline: new Date(systemClock.now().getTime() + 20_000),
      security: caller,
    });

  test('answers a caller with a certificate of the same authority', async () => {
    await expect(call(ours.issue('DNS:billing-gateway'))).resolves.toEqual({ customer: undefined });
    expect(await health(security)).toBe(true);
  });

  test('refuses a caller of the same authority that the method does not name', async () => {
    for (const name of ['DNS:billing-notifier', 'DNS:gateway', 'DNS:localhost']) {
      await expect(call(ours.issue(name))).rejects.toMatchObject({ kind: 'permission' });
    }
    expect(await health(ours.issue('DNS:billing-notifier'))).toBe(true);
  });

  test.each<[string, () => TransportSecurity | undefined]>([
    ['that speaks without TLS', () => undefined],
    [
      'with a certificate of another authority',
      () => ({ ...theirs.issue(), authority: security.authority }),
    ],
  ])('refuses a caller %s', async (_who, caller) => {
    await expect(call(caller())).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await health(caller())).toBe(false);
  });

  test('refuses a caller without a certificate', async () => {
    const { connect } = await import('node:tls');
    const port = Number(server.address.split(':').at(-1));
    const ended = await new Promise<string>((resolve) => {
      const socket = connect({
        port,
        host: 'localhost',
        ca: security.authority,
        ALPNProtocols: ['h2'],
      });
      socket.once('error', ({ message }) => {
        resolve(message);
      });
      socket.once('end', () => {
        resolve('ended');
      });
    });
    expect(ended).toMatch(/certificate required/i);
  });

  test('is rejected by a caller that trusts another authority', async () => {
    const { authority } = theirs.issue();
    await expect(call({ ...security, authority })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('is rejected under a name that its certificate does not contain', async () => {
    const bound = customers({ service: 'test', clock: systemClock, logger, checksCallers: true });
    const other = await listen('localhost:0', [bound], { security: ours.issue('DNS:catalog') });
    const target = `dns:///${other.address}`;
    await expect(call(security, target)).rejects.toMatchObject({ kind: 'unavailable' });
    await other.stop({ drainDelayMs: 0, graceMs: 200 });
  });
});

describe('certificates in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'transport-security-'));
  const security = (): TransportSecurity => {
    const paths = { ...writeCertificates(folder, ours.issue()), GRPC_TLS_REREAD_MS: '20' };
    return present(transportSecurityOf(readConfiguration(z.object(transportSecurityShape), paths)));
  };
  const byFiles = security();
  let server: GrpcServer;

  beforeAll(async () => {
    const bound = customers({ service: 'test', clock: systemClock, logger, checksCallers: true });
    server = await listen('localhost:0', [bound], { security: byFiles });
    server.setServing(true);
  });
  afterAll(async () => {
    await server.stop({ drainDelayMs: 0, graceMs: 200 });
    rmSync(folder, { recursive: true });
  });

  const serves = (caller: TransportSecurity) =>
    isServing(`dns:///${server.address}`, {
      deadline: new Date(systemClock.now().getTime() + 20_000),
      security: caller,
    });

  test('are replaced for server and callers without a restart', async () => {
    expect(await serves(ours.issue())).toBe(true);
    expect(await serves(byFiles)).toBe(true);
    writeCertificates(folder, theirs.issue());
    await eventually(async () => {
      expect(await serves(theirs.issue())).toBe(true);
    });
    expect(await serves(ours.issue())).toBe(false);
    // Callers in this process use the same reader.
    expect(await serves(byFiles)).toBe(true);
  });

  test('stay in use while new ones are half-written', async () => {
    writeFileSync(join(folder, 'tls.crt'), ours.issue().certificate);
    // Each takes longer than the interval of rereading the files.
    for (let calls = 0; calls < 5; calls += 1) expect(await serves(theirs.issue())).toBe(true);
    writeCertificates(folder, ours.issue());
    await eventually(async () => {
      expect(await serves(ours.issue())).toBe(true);
    });
  });
});

describe('services that are configured for mutual TLS', () => {
  const configurationOf = (name: string, { certificate, key, authority }: TransportSecurity) => ({
    ...testServiceConfiguration(name),
    GRPC_LISTEN: 'localhost:0',
    GRPC_TLS_CERT: certificate,
    GRPC_TLS_KEY: key,
    GRPC_TLS_CA: authority,
  });

  test('serve and call each other with it, and refuse all other processes', async () => {
    const catalogConfiguration = configurationOf('catalog', ours.issue());
    const checkoutConfiguration = configurationOf('checkout', ours.issue('DNS:billing-checkout'));
    const catalog = await Service.open('catalog', catalogConfiguration);
    const running = await catalog.serve([customers]);
    const checkout = await Service.open('checkout', checkoutConfiguration);
    const options = { address: `dns:///${running.address}` };
    const peer = checkout.peer<CustomerServiceServer>(CustomerServiceService, options);
    const stranger = connectPeer<CustomerServiceServer>(CustomerServiceService, {
      ...options,
      service: 'test',
    });
    const context = testContext({ deadlineMs: 20_000 });
    try {
      await expect(peer.getCustomer({ id: 'x' }, context)).resolves.toBeDefined();
      await expect(stranger.getCustomer({ id: 'x' }, context)).rejects.toMatchObject({
        kind: 'unavailable',
      });
    } finally {
      stranger.close();
      await (await checkout.serve([])).stop();
      await running.stop();
      await dropTestDatabase(catalogConfiguration, checkoutConfiguration);
      await dropTestStream(catalogConfiguration);
    }
  });
});

describe('the configuration of mutual TLS', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'transport-security-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const read = (env: Record<string, string>) =>
    readConfiguration(z.object(transportSecurityShape), env);

  test('is read from files, which are reread', () => {
    const security = ours.issue();
    const paths = writeCertificates(folder, security);
    expect(transportSecurityOf(read({ ...paths, GRPC_TLS_REREAD_MS: '50' }))).toEqual({
      certificate: security.certificate.trim(),
      key: security.key.trim(),
      authority: security.authority.trim(),
      files: {
        certificate: paths.GRPC_TLS_CERT_FILE,
        key: paths.GRPC_TLS_KEY_FILE,
        authority: paths.GRPC_TLS_CA_FILE,
        rereadEveryMs: 50,
      },
    });
  });

  test('refuses a key that belongs to another certificate', () => {
    const { certificate, authority } = ours.issue();
    const { key } = ours.issue();
    expect(() =>
      read({ GRPC_TLS_CERT: certificate, GRPC_TLS_KEY: key, GRPC_TLS_CA: authority }),
    ).toThrow('GRPC_TLS_KEY: must be the key of GRPC_TLS_CERT');
  });
});
