import { IdleConnections } from './idle-connections';

class TestConnection {
  isOpen = true;

  constructor(readonly remoteAddress: string) {}

  destroy = () => {
    this.isOpen = false;
    return this as never;
  };
}

const bounded = () =>
  new IdleConnections({ maxPerNetwork: 2, isProxy: (address) => address === '10.0.0.1' });

function open(connections: IdleConnections, ...addresses: string[]): TestConnection[] {
  return addresses.map((address) => {
    const connection = new TestConnection(address);
    connections.add(connection);
    return connection;
  });
}

const openOnes = (all: readonly TestConnection[]) => all.map(({ isOpen }) => isOpen);

test('of too many idle connections of one address the oldest is closed', () => {
  const all = open(bounded(), '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1');
  expect(openOnes(all)).toEqual([false, false, true, true]);
});

test('addresses have bounds of their own, and an IPv6 /64 is one address', () => {
  const connections = bounded();
  expect(openOnes(open(connections, '192.0.2.1', '192.0.2.1', '192.0.2.2'))).toEqual([
    true,
    true,
    true,
  ]);
  expect(openOnes(open(connections, '2001:db8::1', '2001:db8::2', '2001:db8::3'))).toEqual([
    false,
    true,
    true,
  ]);
});

test('a connection with a request is not idle, and is idle again afterwards', () => {
  const connections = bounded();
  const [busy, second] = open(connections, '192.0.2.1', '192.0.2.1') as [
    TestConnection,
    TestConnection,
  ];
  connections.remove(busy, busy.remoteAddress);
  const [third] = open(connections, '192.0.2.1') as [TestConnection];
  expect(openOnes([busy, second, third])).toEqual([true, true, true]);
  connections.add(busy);
  expect(openOnes([busy, second, third])).toEqual([true, false, true]);
});

test('connections of a trusted proxy are not counted', () => {
  const all = open(bounded(), '10.0.0.1', '10.0.0.1', '10.0.0.1');
  expect(openOnes(all)).toEqual([true, true, true]);
});
