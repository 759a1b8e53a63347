import { visitAll } from './visit-all';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

async function* documents(...found: readonly string[]): AsyncIterable<string> {
  for (const one of found) yield Promise.resolve(one);
}

const lost = () => ({ failed: 1 });

test('the counts of all documents are added up', async () => {
  const visit = (name: string) => Promise.resolve({ visited: 1, [name]: 1 });
  const counts = visitAll(documents('a', 'b', 'a'), visit, lost);
  expect(await counts).toEqual({ visited: 3, a: 2, b: 1 });
});

test('a visit that fails is retried, and one that keeps failing does not hold up the others', async () => {
  const attempts: string[] = [];
  const visit = (name: string) => {
    const isSecond = attempts.includes(name);
    attempts.push(name);
    if (name === 'away' && isSecond) return Promise.resolve({ visited: 1 });
    return name === 'well' ? Promise.resolve({ visited: 1 }) : Promise.reject(new Error(name));
  };
  const counts = visitAll(documents('broken', 'away', 'well'), visit, lost);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await counts).toEqual({ visited: 2, failed: 1 });
  expect(attempts.filter((one) => one === 'broken')).toHaveLength(12);
});
