import { linksInOrder, type OrderedDelivery } from './order';

function delivery(sequence: number, some: Partial<OrderedDelivery> = {}): OrderedDelivery {
  const _id = `d${String(sequence)}`;
  return { _id, sequence, status: 'PAUSED', previousId: null, claim: null, ...some };
}

const isPaused = ({ status }: OrderedDelivery) => status === 'PAUSED';

describe('deliveries that are resent', () => {
  test('are linked in the order of their sequences', () => {
    expect(linksInOrder([delivery(3), delivery(1), delivery(2)], isPaused)).toEqual([
      { _id: 'd1', previousId: null },
      { _id: 'd2', previousId: 'd1' },
      { _id: 'd3', previousId: 'd2' },
    ]);
  });

  test('wait for the next lower one that is pending, past delivered and finished ones', () => {
    const arrived = delivery(2, { status: 'DELIVERED' });
    const givenUp = delivery(3, { status: 'FAILED' });
    expect(linksInOrder([delivery(1), arrived, givenUp, delivery(4)], isPaused)).toEqual([
      { _id: 'd1', previousId: null },
      { _id: 'd4', previousId: 'd1' },
    ]);
  });

  test('are sorted together with those that are already waiting', () => {
    const waiting = delivery(2, { status: 'PENDING', previousId: 'gone' });
    expect(linksInOrder([delivery(1), waiting, delivery(3)], isPaused)).toEqual([
      { _id: 'd1', previousId: null },
      { _id: 'd2', previousId: 'd1' },
      { _id: 'd3', previousId: 'd2' },
    ]);
  });

  test('wait for one in flight, which is left unchanged', () => {
    const sent = delivery(1, { status: 'PENDING', claim: 'sender' });
    expect(linksInOrder([sent, delivery(2)], isPaused)).toEqual([{ _id: 'd2', previousId: 'd1' }]);
  });
});
