import { LostCallIndex } from './lost-call-index';

const now = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const call = (id: string, callerId = 'caller') => ({ id, callerId, fingerprint: `of ${id}` });
const idsOf = (index: LostCallIndex, callerId: string, fingerprint: string) =>
  index.callsOf(callerId, fingerprint).map(([id]) => id);

test('lost calls are found by caller and fingerprint', () => {
  const index = new LostCallIndex();
  index.add(call('a'), now);
  index.add({ ...call('b'), fingerprint: 'of a' }, now);
  index.add(call('c'), now);
  expect(idsOf(index, 'caller', 'of a')).toEqual(['a', 'b']);
  expect(idsOf(index, 'another', 'of a')).toEqual([]);
  index.remove('caller', 'a');
  expect(idsOf(index, 'caller', 'of a')).toEqual(['b']);
});

test('a lost call is known for ten minutes', () => {
  const index = new LostCallIndex();
  index.add(call('a'), now);
  expect(index.knows('caller', after(599_999))).toBe(true);
  expect(index.knows('caller', after(600_000))).toBe(false);
  expect(idsOf(index, 'caller', 'of a')).toEqual([]);
});

test('a call added again since its lookup is not removed', () => {
  const index = new LostCallIndex();
  index.add(call('a'), now);
  const [[id, known] = []] = index.callsOf('caller', 'of a');
  index.add(call('a'), now);
  index.remove('caller', id ?? '', known);
  expect(idsOf(index, 'caller', 'of a')).toEqual(['a']);
});

test('the oldest calls are evicted beyond 1,000 lost calls per caller and 10,000 in total', () => {
  const index = new LostCallIndex();
  const removed = Array.from({ length: 1_001 }, (_, n) => index.add(call(String(n)), now)).flat();
  expect(removed).toEqual(['0']);
  const others = Array.from({ length: 9_001 }, (_, n) =>
    index.add(call(`x${String(n)}`, `caller ${String(n)}`), now),
  ).flat();
  expect(others).toEqual(['1']);
});
