import { IdleConnections } from './idle-connections';

class TestConnection {
  isOpen = true;

  constructor(readonly remoteAddress: string) {}

  destroy = () => {
    this.isOpen = false;
    return this as never;
  };
}

let now: number;

beforeEach(() => {
  now = 0;
});

const bounded = () =>
  new IdleConnections({
    maxPerNetwork: 2,
    isProxy: (address) => address === '10.0.0.1',
    now: () => now,
  });

function open(connections: IdleConnections, ...addresses: string[]): TestConnection[] {
  return addresses.map((address) => {
    const connection = new TestConnection(address);
    connections.open(connection);
    return connection;
  });
}

function answer(connections: IdleConnections, all: readonly TestConnection[]): boolean[] {
  const crowded = all.map((connection) => connections.use(connection));
  for (const connection of all) connections.answered(connection);
  return crowded;
}

const openOnes = (all: readonly TestConnection[]) => all.map(({ isOpen }) => isOpen);
const one = '192.0.2.1';

test('the oldest unused connection of an address beyond its limit is closed', () => {
  const all = open(bounded(), one, one, one, one);
  expect(openOnes(all)).toEqual([false, false, true, true]);
});

test('each address has a separate limit, and an IPv6 /64 counts as one address', () => {
  const connections = bounded();
  expect(openOnes(open(connections, one, one, '192.0.2.2'))).toEqual([true, true, true]);
  expect(openOnes(open(connections, '2001:db8::1', '2001:db8::2', '2001:db8::3'))).toEqual([
    false,
    true,
    true,
  ]);
});

test('a connection with a request is not closed, and beyond the limit its response asks to reconnect', () => {
  const connections = bounded();
  const used = [one, one, one].flatMap((address) => {
    const [connection] = open(connections, address) as [TestConnection];
    return [{ connection, isCrowded: connections.use(connection) }];
  });
  expect(used.map(({ isCrowded }) => isCrowded)).toEqual([false, false, true]);
  expect(openOnes(open(connections, one, one))).toEqual([true, true]);
  expect(openOnes(used.map(({ connection }) => connection))).toEqual([true, true, true]);
});

test('a reusable connection is closed only after some idle time', () => {
  const connections = bounded();
  const answered = [one, one, one, one].flatMap((address) => {
    const [connection] = open(connections, address) as [TestConnection];
    answer(connections, [connection]);
    return [connection];
  });
  expect(openOnes(answered)).toEqual([true, true, true, true]);

  now = 5_000;
  const [, , , last] = answered as [unknown, unknown, unknown, TestConnection];
  answer(connections, [last]);
  expect(openOnes(answered)).toEqual([false, true, true, true]);
});

test('a closed connection no longer counts towards the limit', () => {
  const connections = bounded();
  const [first, second] = open(connections, one, one) as [TestConnection, TestConnection];
  connections.close(first, first.remoteAddress);
  const [third] = open(connections, one) as [TestConnection];
  expect(openOnes([second, third])).toEqual([true, true]);
  expect(answer(connections, [second, third])).toEqual([false, false]);
});

test('connections of a trusted proxy are not counted', () => {
  const connections = bounded();
  const all = open(connections, '10.0.0.1', '10.0.0.1', '10.0.0.1');
  expect(answer(connections, all)).toEqual([false, false, false]);
  expect(openOnes(all)).toEqual([true, true, true]);
});
