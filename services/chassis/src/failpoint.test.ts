import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atBoundary, openFailpoints } from './failpoint';

describe('failpoints', () => {
  let folder: string;
  let kill: jest.SpyInstance;
  const hits = () => readFileSync(join(folder, 'hits'), 'utf8').trim().split('\n');
  const planned = () => readFileSync(join(folder, 'kills'), 'utf8');
  const plan = (...lines: string[]) => {
    writeFileSync(join(folder, 'kills'), lines.join('\n'));
  };
  const write = () => atBoundary('session', 'mutate', () => Promise.resolve('written'));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'failpoints-'));
    kill = jest.spyOn(process, 'kill').mockReturnValue(true);
  });

  afterEach(() => {
    kill.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  });

  // Must run first: a process cannot switch failpoints off again.
  test('do nothing unless a folder is configured', async () => {
    openFailpoints('checkout', undefined);
    plan('checkout/session/mutate:before 1');
    expect(await write()).toBe('written');
    expect(kill).not.toHaveBeenCalled();
    expect(hits).toThrow('ENOENT');
  });

  test('record each boundary by name, before and after the step', async () => {
    openFailpoints('checkout', folder);
    expect(await write()).toBe('written');
    expect(hits()).toEqual(['checkout/session/mutate:before', 'checkout/session/mutate:after']);
  });

  test('name calls by their paths', async () => {
    openFailpoints('subscription', folder);
    await atBoundary('call', '/checkout.CheckoutService/GetInvoice', () => Promise.resolve());
    expect(hits()[0]).toBe('subscription/call/checkout.CheckoutService/GetInvoice:before');
  });

  test('record no end of a step that failed', async () => {
    openFailpoints('checkout', folder);
    const refused = atBoundary('session', 'mutate', () => Promise.reject(new Error('Refused')));
    await expect(refused).rejects.toThrow('Refused');
    expect(hits()).toEqual(['checkout/session/mutate:before']);
  });

  test('kill the process at the n-th pass for each line, counting from zero after each kill', async () => {
    openFailpoints('checkout', folder);
    plan('checkout/session/mutate:after 2', 'checkout/session/mutate:before 1', '');
    await write();
    expect(kill).not.toHaveBeenCalled();
    await write();
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']]);
    expect(planned()).toBe('checkout/session/mutate:before 1\n');
    await write();
    expect(kill).toHaveBeenCalledTimes(2);
    await write();
    expect(kill).toHaveBeenCalledTimes(2);
  });

  test('ignore boundaries of other processes', async () => {
    openFailpoints('checkout', folder);
    plan('subscription/session/mutate:before 1');
    await write();
    expect(kill).not.toHaveBeenCalled();
  });
});
