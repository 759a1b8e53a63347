import type { OutboxEntry, OutboxDocument } from './aggregate';
import { OutboxProgress } from './outbox-progress';

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

describe('the progress of an outbox', () => {
  test('returns pending entries in the order of their sequence, without those that are done', () => {
    const progress = new OutboxProgress();
    expect(progress.pending(filled, 'event').map(({ sequence }) => sequence)).toEqual([7, 8]);
    progress.recordDone(entry('event', 7));
    expect(progress.pending(filled, 'event').map(({ sequence }) => sequence)).toEqual([8]);
    expect(progress.pending(filled, 'command').map(({ sequence }) => sequence)).toEqual([4]);
  });

  test('keeps done entries removable until they are removed', () => {
    const progress = new OutboxProgress();
    progress.recordDone(entry('event', 7));
    expect(progress.removable(filled)).toEqual([entry('event', 7)]);
    progress.recordRemoved([entry('event', 7)]);
    expect(progress.removable(filled)).toEqual([]);
  });

  test('is finished once all entries of both kinds are done', () => {
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

  test('counts entries added after the outbox was emptied as pending, and the outbox as not emptied', () => {
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

  test('needs one more write while it is empty but still marked as pending', () => {
    const progress = new OutboxProgress();
    const waiting = document([], [8, 4]);
    expect(progress.isFinished(waiting)).toBe(true);
    expect(progress.isEmptied(waiting)).toBe(false);
    expect(progress.isEmptied({ ...waiting, pendingSince: null })).toBe(true);
  });

  describe('a command that ends with a write', () => {
    const quiet = { document: filled, isOtherInFlight: () => false };

    test('is the last one only if everything before it is done', () => {
      const progress = new OutboxProgress();
      const completion = progress.completionOf(entry('command', 4), quiet);
      progress.recordDone(entry('event', 7));
      expect(completion.isLastOf(filled)).toBe(false);
      progress.recordDone(entry('event', 8));
      expect(completion.isLastOf(filled)).toBe(true);
      const another = document([...filled.outbox, entry('command', 5)], [8, 5]);
      expect(completion.isLastOf(another)).toBe(false);
    });

    test("waits a moment for the other kind's running work, and for nothing else", async () => {
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
      // A later command is not waited for, and a hanging one not for long.
      const earlier = progress.completionOf(entry('command', 3), {
        document: document([...filled.outbox, entry('command', 3)], [8, 4]),
        isOtherInFlight: () => true,
      });
      await earlier.whenLast();
      await new OutboxProgress().completionOf(command, busy).whenLast();
    });

    test('is done and removed from the outbox with it', () => {
      const progress = new OutboxProgress();
      progress.recordDone(entry('event', 8));
      progress.completionOf(entry('command', 4), quiet).recordWritten(filled);
      expect(progress.pending(filled, 'command')).toEqual([]);
      expect(progress.isFinished(filled) && progress.isEmptied(filled)).toBe(true);
    });
  });
});
