import { OperatorClient, password } from '../support/operator-client';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { RawConnection } from './raw-http';

const addresses = 80;
const signIns = 5;
const email = 'owner@example.com';

let system: OwnTestSystem;

beforeAll(async () => {
  // Processes of their own hash passwords at the cost of real ones.
  system = await startTestSystem({ processes: true });
  // Signs in, so that the network is known for the owner.
  await OperatorClient.owner(system, email);
});

afterAll(() => system.stop());

/** Signs in from an address of this machine; returns the status. */
async function signIn(typed: string, from: string): Promise<number | undefined> {
  const body = JSON.stringify({ email, password: typed });
  const connection = await RawConnection.open(system.gatewayUrl, from);
  const { host } = new URL(system.gatewayUrl);
  connection.send(
    [
      'POST /dashboard/api/session HTTP/1.1',
      `Host: ${host}`,
      'Sec-Fetch-Site: same-origin',
      'Content-Type: application/json',
      `Content-Length: ${String(body.length)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  return (await connection.answer()).statuses[0];
}

test('wrong passwords from many addresses do not keep an operator out of a network that is known', async () => {
  let isOver = false;
  let refused = 0;
  const stranger = async (from: string) => {
    while (!isOver) {
      const status = await signIn('not the password', from);
      if (status !== 401) refused += 1;
      // The address has used up its attempts.
      if (status === 429) return;
    }
  };
  const strangers = Array.from({ length: addresses }, (_, index) =>
    stranger(`127.0.1.${String(index + 1)}`),
  );
  const statuses: unknown[] = [];
  for (let count = 1; count <= signIns; count += 1) {
    statuses.push(await signIn(password, '127.0.0.1'));
  }
  isOver = true;
  await Promise.all(strangers);
  expect(statuses).toEqual(Array(signIns).fill(200));
  // Otherwise the attempts were too few to fill the queue.
  expect(refused).toBeGreaterThan(0);
}, 300_000);
