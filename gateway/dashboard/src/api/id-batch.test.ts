import { IdBatch } from './id-batch';

/** Reads every id but those that begin with `unknown`, and records what was asked. */
function recorded() {
  const asked: (readonly string[])[] = [];
  const batch = new IdBatch(async (ids) => {
    asked.push(ids);
    return ids
      .filter((id) => !id.startsWith('unknown'))
      .map((id) => ({ id, name: `Name of ${id}` }));
  });
  return { batch, asked };
}

test('ids requested together are read by one request, each once', async () => {
  const { batch, asked } = recorded();
  const found = await Promise.all(['a', 'b', 'a', 'unknown'].map((id) => batch.find(id)));
  expect(asked).toEqual([['a', 'b', 'unknown']]);
  expect(found.map((one) => one?.name)).toEqual(['Name of a', 'Name of b', 'Name of a', undefined]);
  expect(found.at(-1)).toBeNull();
});

test('more than 100 ids are read by several requests', async () => {
  const { batch, asked } = recorded();
  const ids = Array.from({ length: 250 }, (_, index) => String(index));
  const found = await Promise.all(ids.map((id) => batch.find(id)));
  expect(asked.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(found.map((one) => one?.id)).toEqual(ids);
});

test('a failed request fails all its ids, and the next request reads them again', async () => {
  let failures = 1;
  const batch = new IdBatch(async (ids) => {
    failures -= 1;
    if (failures === 0) throw new Error('lost');
    return ids.map((id) => ({ id }));
  });
  const results = await Promise.allSettled([batch.find('a'), batch.find('b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await batch.find('a')).toEqual({ id: 'a' });
});
