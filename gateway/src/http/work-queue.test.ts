import { WorkQueue } from './work-queue';

/** Work that runs until the test ends it, in the order of admission. */
class Works {
  readonly admitted: string[] = [];
  private readonly ends: (() => void)[] = [];

  constructor(private readonly queue: WorkQueue) {}

  start(turn: string): Promise<string> {
    return this.queue
      .run(turn, () => {
        this.admitted.push(turn);
        return new Promise<void>((resolve) => this.ends.push(resolve));
      })
      .then(
        () => 'done',
        (error: unknown) => String((error as { status?: number }).status),
      );
  }

  endFirst(): void {
    this.ends.shift()?.();
  }
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
const settle = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test('up to 32 requests run concurrently, and 8 more every 20 ms while the process is idle', async () => {
  const works = new Works(new WorkQueue());
  times(60).forEach(() => void works.start('a'));
  await settle();
  expect(works.admitted).toHaveLength(32);
  await jest.advanceTimersByTimeAsync(20);
  expect(works.admitted).toHaveLength(40);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(works.admitted).toHaveLength(60);
});

test('a busy process runs no more requests and refuses those that wait 6 s with 503', async () => {
  const works = new Works(new WorkQueue());
  const outcomes: string[] = [];
  times(33).forEach(() => void works.start('a').then((outcome) => outcomes.push(outcome)));
  // The event loop was blocked, so the timer fires late.
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 7_000);
  await jest.advanceTimersByTimeAsync(20);
  expect(outcomes).toEqual(['503']);
  expect(works.admitted).toHaveLength(32);
});

test('callers and routes are served round-robin', async () => {
  const works = new Works(new WorkQueue());
  times(32).forEach(() => void works.start('running'));
  times(3).forEach(() => void works.start('flood'));
  void works.start('other');
  for (let count = 1; count <= 2; count += 1) works.endFirst();
  await settle();
  expect(works.admitted.slice(32)).toEqual(['flood', 'other']);
});
