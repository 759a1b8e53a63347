import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { readBooks } from './compare';
import type { DrillSystem } from './drill-system';
import { reportOf } from './command';
import { expectClean } from './recovery';

/** Callers of a system: three write, one reads. */
class Load {
  /** Customers whose creation was answered before the first refusal. */
  readonly created: string[] = [];
  /** Writes that were refused during the pause. */
  refused = 0;
  private readonly ended = new AbortController();
  private readonly callers: readonly Promise<void>[];

  constructor(private readonly api: ApiClient) {
    this.callers = [this.write(), this.write(), this.write(), this.read()];
  }

  async end(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.callers);
  }

  private async write(): Promise<void> {
    while (!this.ended.signal.aborted) {
      const { status, headers, body } = await this.api.request('POST', '/customers', {
        ...{ body: { email: 'load@example.com' }, repeatsMax: 0 },
      });
      if (status === 201) {
        if (this.refused === 0) this.created.push(String(body.id));
        continue;
      }
      expect([status, headers.get('error-code')]).toEqual([503, 'writes_paused']);
      this.refused += 1;
    }
  }

  private async read(): Promise<void> {
    while (!this.ended.signal.aborted) {
      const { status } = await this.api.request('GET', '/customers?perPage=1', { repeatsMax: 0 });
      expect(status).toBe(200);
    }
  }
}

/** Writes are refused while documents are copied, and the copy has every write before. */
export async function pausedBackup(system: DrillSystem): Promise<void> {
  const { machine, scene, folder } = system;
  const { live, sandbox } = scene;
  const to = join(folder, 'backups');
  await mkdir(join(folder, 'data'), { recursive: true });
  const before = new Load(live);
  const killed = await machine.run(['backup', '--to', to], () => before.refused > 0);
  await before.end();
  expect(killed.code).toBeUndefined();

  // The pause of the killed command ends with its lease.
  await eventually(async () => {
    const customer = { email: 'after@example.com' };
    const options = { body: customer, repeatsMax: 0 };
    expect((await live.request('POST', '/customers', options)).status).toBe(201);
  });
  const books = await system.readAll();
  const during = new Load(live);
  const saved = await machine.run(['backup', '--to', to, '--json']);
  await during.end();
  expect([saved.code, saved.stderr]).toEqual([0, expect.any(String)]);
  const { path, pausedMs } = reportOf(saved);
  expect(pausedMs).toBeGreaterThan(0);
  expect(during.refused).toBeGreaterThan(0);

  const target = join(folder, 'restored');
  await mkdir(target);
  const restored = machine.another(target);
  try {
    const done = await restored.run(['restore', '--from', path]);
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    await restored.start();
    await expectClean(await restored.run(['reconcile', '--json']), restored);
    const api = restored.client(restored.liveKey);
    for (const id of [...before.created, ...during.created]) {
      expect([id, (await api.get(`/customers/${id}`)).status]).toEqual([id, 200]);
    }
    expect(await readBooks(api)).toEqual(books.live);
    expect(await readBooks(restored.client(sandbox.key ?? ''))).toEqual(books.sandbox);
  } finally {
    await restored.end();
  }
}
