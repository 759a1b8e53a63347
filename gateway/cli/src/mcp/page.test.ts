import { eventsResult, guideResult, listResult, pageOf, readPosition, singleResult } from './page';

const big = Array.from({ length: 40 }, (_one, index) => ({ id: index, text: 'x'.repeat(1_000) }));

test.each([
  [undefined, { page: 1, skipped: 0 }],
  [3, { page: 3, skipped: 0 }],
  ['3', { page: 3, skipped: 0 }],
  ['3:12', { page: 3, skipped: 12 }],
])('the page %j is a position', (given, position) => {
  expect(readPosition(given)).toEqual(position);
});

test.each(['0', '-1', '1.5', 'x', '1:', ''])('%j is no page', (given) => {
  expect(() => readPosition(given)).toThrow('page is no page');
});

test.each([
  ['a page with more after it', { data: [1, 2], total: 5, page: 2, perPage: 2 }, [1, 2], 5, '3'],
  ['the last page', { data: [5], total: 5, page: 3, perPage: 2 }, [5], 5, null],
  ['a list without pages', [1, 2], [1, 2], 2, null],
  ['a report', { rows: [1] }, [{ rows: [1] }], null, null],
])('%s says how it goes on', (_name, answer, data, total, nextPage) => {
  const page = (answer as { page?: number }).page ?? 1;
  const { structuredContent } = listResult(pageOf(answer), { page, skipped: 0 });
  expect(structuredContent).toEqual({ data, total, nextPage, isShortened: false });
});

test('the pieces of a page that was cut are the page', () => {
  const answered = pageOf({ data: big, total: 40, page: 1, perPage: 40 });
  const shown: unknown[] = [];
  for (let page: string | null = '1'; page !== null;) {
    const { structuredContent } = listResult(answered, readPosition(page));
    shown.push(...(structuredContent['data'] as unknown[]));
    page = structuredContent['nextPage'] as string | null;
  }
  expect(shown).toEqual(big);
});

test('the longest list of a resource is cut', () => {
  const invoice = { id: 'a', taxes: [1], lines: big };
  const { structuredContent: first } = singleResult(invoice, { skipped: 0 });
  const { data, nextPage } = first as { data: typeof invoice; nextPage: string };
  expect(first).toMatchObject({ cut: 'lines', data: { id: 'a', taxes: [1] } });
  expect(nextPage).toBe(`1:${String(data.lines.length)}`);
  const { structuredContent: next } = singleResult(invoice, readPosition(nextPage));
  const [following] = (next['data'] as typeof invoice).lines;
  expect(following).toEqual(big[data.lines.length]);
});

test('events go on after the last one that is shown', () => {
  const data = big.map((event, index) => ({ position: index + 1, event }));
  const { structuredContent } = eventsResult({ data, nextAfter: 'r1.40', newest: 'r1.40' });
  const shown = (structuredContent['data'] as unknown[]).length;
  expect(structuredContent['nextPage']).toBe(`r1.${String(shown)}`);
  const all = eventsResult({ data: data.slice(0, 1), nextAfter: '1', newest: '1' });
  expect(all.structuredContent).toMatchObject({ nextAfter: '1', nextPage: null });
});

test('a guide says whether its end was cut', () => {
  const guide = { page: 'webhooks', title: 'Webhooks' };
  const short = guideResult({ ...guide, text: '# Webhooks\n\nVerify each one.' });
  expect(short.structuredContent).toEqual({
    ...{ ...guide, text: '# Webhooks\n\nVerify each one.', isShortened: false },
  });
  const text = Array.from({ length: 2_000 }, (_one, index) => `Line ${String(index)}.`.repeat(5));
  const { structuredContent } = guideResult({ ...guide, text: text.join('\n') });
  expect(structuredContent['isShortened']).toBe(true);
  const shown = String(structuredContent['text']).split('\n');
  expect(shown.length).toBeGreaterThan(100);
  expect(shown).toEqual(text.slice(0, shown.length));
});
