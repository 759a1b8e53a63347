import fc from 'fast-check';
import { inTurns, turnMax } from './due-order';

const documents = fc.array(
  fc.record({ environmentId: fc.constantFrom('a', 'b', 'c', 'd'), id: fc.nat() }).map((one) => ({
    ...one,
    live: one.environmentId === 'a',
  })),
  { maxLength: 400 },
);

describe('the order of due documents', () => {
  test('visits live documents first, and fifty of a sandbox before the next one', () => {
    const many = (environmentId: string, count: number, live = false) =>
      Array.from({ length: count }, () => ({ environmentId, live }));
    const ordered = inTurns([...many('x', 120), ...many('y', 10), ...many('live', 3, true)]);
    expect(ordered.map(({ environmentId }) => environmentId).join(' ')).toBe(
      [...many('live', 3), ...many('x', 50), ...many('y', 10), ...many('x', 50), ...many('x', 20)]
        .map(({ environmentId }) => environmentId)
        .join(' '),
    );
  });

  test('keeps all documents and the order within each environment', () => {
    fc.assert(
      fc.property(documents, (all) => {
        const ordered = inTurns(all);
        expect(ordered).toHaveLength(all.length);
        for (const environment of ['a', 'b', 'c', 'd']) {
          const of = (list: typeof all) =>
            list.filter(({ environmentId }) => environmentId === environment);
          expect(of(ordered)).toEqual(of(all));
        }
      }),
    );
  });

  test('lets no sandbox have more than one turn while another waits', () => {
    fc.assert(
      fc.property(documents, (all) => {
        const ordered = inTurns(all);
        ordered.forEach((_one, index) => {
          const run = ordered.slice(index, index + turnMax + 1);
          const [first] = run;
          const isSame = run.every(({ environmentId }) => environmentId === first?.environmentId);
          if (run.length <= turnMax || first?.live === true || !isSame) return;
          const later = ordered.slice(index + turnMax);
          expect(new Set(later.map(({ environmentId }) => environmentId)).size).toBe(1);
        });
      }),
    );
  });
});
