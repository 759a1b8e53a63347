import { freePort } from '../listen-address';
import { Service, type RunningService } from './service';
import { startTestProxy } from '../testing/network';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testServiceConfiguration,
} from '../testing/testing';

const configuration = testServiceConfiguration('probes', { DRAIN_DELAY_MS: 12_000 });

let address: string;
let service: Service;
let running: RunningService | undefined;

beforeAll(async () => {
  address = `127.0.0.1:${String(await freePort())}`;
  service = await Service.open('probes', { ...configuration, HEALTH_LISTEN: address });
});

afterAll(async () => {
  await running?.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const statusOf = async (path: string): Promise<number> =>
  (await fetch(`http://${address}${path}`)).status;
const probes = async () => ({ live: await statusOf('/healthz'), ready: await statusOf('/readyz') });

test('a service is live while it builds its indexes, ready once it serves, and not ready from the start of its stop', async () => {
  const seen: object[] = [];
  service.ensureIndexes(async () => {
    seen.push(await probes());
  });
  running = await service.serve([]);
  seen.push(await probes());

  const stopping = running.stop();
  await eventually(async () => {
    expect(await probes()).toEqual({ live: 200, ready: 503 });
  });
  await stopping;
  await expect(probes()).rejects.toThrow('fetch failed');
  expect(seen).toEqual([
    { live: 200, ready: 503 },
    { live: 200, ready: 200 },
  ]);
});

test('a service starts, is ready and stops without the stream, and connects once the stream is available', async () => {
  const proxy = await startTestProxy(configuration.NATS_URL);
  proxy.cut();
  const HEALTH_LISTEN = `127.0.0.1:${String(await freePort())}`;
  const away = { ...configuration, NATS_URL: proxy.url, HEALTH_LISTEN, DRAIN_DELAY_MS: 0 };
  const opened = await Service.open('probes', away);
  opened.consume({
    durable: 'probes',
    filterSubjects: ['test.>'],
    handle: () => Promise.resolve(),
  });
  const served = await opened.serve([]);
  const readiness = async (): Promise<unknown> => {
    const response = await fetch(`http://${HEALTH_LISTEN}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  const ready = (stream: string) => ({
    status: 200,
    body: { status: 'ready', database: 'up', stream },
  });
  try {
    expect(await readiness()).toEqual(ready('down'));
    proxy.restore();
    await eventually(async () => {
      expect(await readiness()).toEqual(ready('up'));
    });
    proxy.cut();
    await eventually(async () => {
      expect(await readiness()).toEqual(ready('down'));
    });
  } finally {
    await served.stop();
    await proxy.close();
  }
});
