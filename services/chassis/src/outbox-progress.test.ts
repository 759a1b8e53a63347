import type { OutboxEntry } from './aggregate-document';
import { type OutboxDocument, OutboxProgress } from './outbox-progress';

const entry = (kind: OutboxEntry['kind'], sequence: number): OutboxEntry => ({
  kind,
  sequence,
  type: 'x',
  at: new Date(0),
  payload: {},
  traceparent: null,
});

function document(
  outbox: readonly OutboxEntry[],
  [eventSequence, commandSequence]: readonly [number, number],
): OutboxDocument {
  return { outbox, eventSequence, commandSequence, pendingSince: new Date(0) };
}

const filled = document([entry('command', 4), entry('event', 8), entry('event', 7)], [8, 4]);

describe('how far an outbox has come', () => {
  test('what is to do comes in the order of its numbers, without what is done', () => {
    const progress = new OutboxProgress();
    expect(progress.pending(filled, 'event').map(({ sequence }) => sequence)).toEqual([7, 8]);
    progress.recordDone(entry('event', 7));
    expect(progress.pending(filled, 'event').map(({ sequence }) => sequence)).toEqual([8]);
    expect(progress.pending(filled, 'command').map(({ sequence }) => sequence)).toEqual([4]);
  });

  test('what is done stands there until it is removed', () => {
    const progress = new OutboxProgress();
    progress.recordDone(entry('event', 7));
    expect(progress.removable(filled)).toEqual([entry('event', 7)]);
    progress.recordRemoved([entry('event', 7)]);
    expect(progress.removable(filled)).toEqual([]);
  });

  test('it is over once all of both kinds is done', () => {
    const progress = new OutboxProgress();
    progress.recordDone(entry('event', 8));
    expect(progress.isFinished(filled)).toBe(false);
    expect(progress.isFinished(filled, entry('command', 4))).toBe(true);
    progress.recordDone(entry('command', 4));
    expect(progress.isFinished(filled)).toBe(true);
    expect(progress.isEmptied(filled)).toBe(false);
    progress.recordEmptied(filled);
    expect(progress.isEmptied(filled)).toBe(true);
    expect(progress.removable(filled)).toEqual([]);
  });

  test('what was added after it was emptied is to do, and is not emptied', () => {
    const progress = new OutboxProgress();
    progress.recordDone(entry('event', 8));
    progress.recordDone(entry('command', 4));
    progress.recordEmptied(filled);
    const more = document([...filled.outbox, entry('command', 5)], [8, 5]);
    expect(progress.isFinished(more)).toBe(false);
    expect(progress.isEmptied(more)).toBe(false);
    expect(progress.pending(more, 'command')).toEqual([entry('command', 5)]);
    expect(progress.removable(more)).toEqual([]);
  });

  test('an empty outbox that still waits is told so once', () => {
    const progress = new OutboxProgress();
    const waiting = document([], [8, 4]);
    expect(progress.isFinished(waiting)).toBe(true);
    expect(progress.isEmptied(waiting)).toBe(false);
    expect(progress.isEmptied({ ...waiting, pendingSince: null })).toBe(true);
  });

  describe('a command that ends with a write', () => {
    const quiet = { document: filled, isOtherInFlight: () => false };

    test('is the last only where everything before it is done', () => {
      const progress = new OutboxProgress();
      const completion = progress.completionOf(entry('command', 4), quiet);
      progress.recordDone(entry('event', 7));
      expect(completion.isLastOf(filled)).toBe(false);
      progress.recordDone(entry('event', 8));
      expect(completion.isLastOf(filled)).toBe(true);
      const another = document([...filled.outbox, entry('command', 5)], [8, 5]);
      expect(completion.isLastOf(another)).toBe(false);
    });

    test('waits a moment for what is under way, and for nothing else', async () => {
      const progress = new OutboxProgress();
      const command = entry('command', 4);
      await progress.completionOf(command, quiet).whenLast();
      const busy = { document: filled, isOtherInFlight: () => true };
      const waited = progress.completionOf(command, busy).whenLast();
      progress.recordDone(entry('event', 7));
      const first = await Promise.race([waited.then(() => 'over'), Promise.resolve('waiting')]);
      expect(first).toBe('waiting');
      progress.recordDone(entry('event', 8));
      await waited;
      expect(progress.isFinished(filled, command)).toBe(true);
      // What comes after it is not waited for, and what hangs not for long.
      const earlier = progress.completionOf(entry('command', 3), {
        document: document([...filled.outbox, entry('command', 3)], [8, 4]),
        isOtherInFlight: () => true,
      });
      await earlier.whenLast();
      await new OutboxProgress().completionOf(command, busy).whenLast();
    });

    test('is done and out of the outbox with it', () => {
      const progress = new OutboxProgress();
      progress.recordDone(entry('event', 8));
      progress.completionOf(entry('command', 4), quiet).recordWritten(filled);
      expect(progress.pending(filled, 'command')).toEqual([]);
      expect(progress.isFinished(filled) && progress.isEmptied(filled)).toBe(true);
    });
  });
});
