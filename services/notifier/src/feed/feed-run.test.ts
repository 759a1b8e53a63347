import { messageId } from '../message/message-store';
import { type FeedMessage, planRun } from './feed-run';

const environmentId = '0197a000-0000-7000-8000-000000000001';

function aMessage(subscriptionId: string, sequence: number, second: number): FeedMessage {
  const key = { environmentId, subscriptionId, sequence };
  const acceptedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  return { ...key, _id: messageId(key), type: 'subscription.renewed', acceptedAt };
}

const none = () => false;
const names = (run: readonly FeedMessage[]) =>
  run.map(({ subscriptionId, sequence }) => `${subscriptionId}${String(sequence)}`);

describe('a run', () => {
  const [a1, a2, a3] = [aMessage('a', 1, 1), aMessage('a', 2, 4), aMessage('a', 3, 2)];
  const b1 = aMessage('b', 1, 3);

  test('follows the order of acceptance', () => {
    expect(names(planRun([b1, a1], none, none))).toEqual(['a1', 'b1']);
  });

  test('keeps the order of each subject, independent of the clocks of replicas', () => {
    expect(names(planRun([a3, b1, a2, a1], none, none))).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('omits a message whose predecessor has no position', () => {
    expect(names(planRun([a2, b1], none, none))).toEqual(['b1']);
  });

  test('continues a subject whose predecessor is in the feed', () => {
    const isPassed = (id: string) => id === a1._id;
    expect(names(planRun([a2, a3], none, isPassed))).toEqual(['a2', 'a3']);
  });

  test('omits messages that have a position', () => {
    const isPlaced = (id: string) => id === a1._id;
    expect(names(planRun([a1, a1, b1, b1], isPlaced, none))).toEqual(['b1']);
  });
});
