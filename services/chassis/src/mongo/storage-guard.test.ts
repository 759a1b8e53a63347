import { StorageGuard } from './storage-guard';

test('storage is full below the reserve, and available again above a quarter more', async () => {
  const free = [1_000, 999, 1_001, 1_249, 1_250, 1_001, 999];
  const guard = new StorageGuard({
    folder: '/data',
    reserveBytes: 1_000,
    freeBytes: () => Promise.resolve(free.shift() ?? 0),
  });
  const seen: boolean[] = [];
  while (free.length > 0) {
    await guard.check();
    seen.push(guard.isFull);
  }
  expect(seen).toEqual([false, true, true, true, false, false, true]);
});
