import { newId } from '@billing/chassis/ids';
import { connectPeer } from '@billing/chassis/peer';
import { Semaphore } from '@billing/chassis/semaphore';
import { testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type OperatorServiceServer,
  OperatorServiceService,
} from '@billing/proto/billing/identity/v1/operator';
import {
  ownerTime,
  type RouteExample,
  routeExamples,
} from '../support/isolation/isolation-examples';
import { newAddress, OperatorClient, type RoleName } from '../support/operator-client';
import {
  apiOperations,
  harmless,
  mayAsk,
  mayCall,
  openOperations,
  type Operation,
  operatorExample,
  type OperatorOperation,
  operatorOperations,
  type Place,
  roles,
} from './role-table';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const timeoutMs = 600_000;
const places: readonly Place[] = ['live', 'sandbox'];
const concurrentMax = 8;
const refusedBody = { error: 'Insufficient permissions' };

let system: TestSystem;
let owner: OperatorClient;
const ownerAddress = newAddress();
let ownerId: string;
let examples: Readonly<Record<string, RouteExample>>;
let environments: Readonly<Record<Place, string>>;
const clients = new Map<RoleName, OperatorClient>();
/** The view before any forbidden operation was tried. */
let before: string;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await OperatorClient.owner(system, ownerAddress);
  ownerId = (await owner.api('GET', '/session')).body.operator.id as string;
  examples = await routeExamples(await system.live.manualSandbox(ownerTime));
  const { data } = (await owner.api('GET', '/environments')).body;
  const [live, sandbox] = data as { id: string }[];
  environments = { live: live?.id ?? '', sandbox: sandbox?.id ?? '' };
  for (const role of roles) clients.set(role, await owner.colleague(role));
  before = await view();
}, timeoutMs);

interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly body: unknown;
}

function exampleOf({ name }: Operation): RouteExample {
  const example = examples[name];
  if (example === undefined) throw new Error(`${name} needs an example in isolation-examples.ts`);
  return example;
}

// At most 2 exports of an environment run at a time.
const exporting = new Semaphore(1);

async function call(
  client: OperatorClient,
  { method }: Operation,
  { path, body }: RouteExample,
): Promise<Reply> {
  const sent = method === 'GET' || body === undefined ? undefined : body;
  const send = () => client.v1(method, path, sent);
  const isExport = path.startsWith('/exports/');
  const { status, body: answered, headers } = await (isExport ? exporting.run(send) : send());
  return { status, body: answered as unknown, code: headers.get('error-code') };
}

async function ask(
  client: OperatorClient,
  operation: OperatorOperation,
  isMeant = true,
): Promise<Reply> {
  const target = isMeant
    ? { operatorId: ownerId, environmentId: environments.sandbox }
    : { operatorId: newId(), environmentId: newId() };
  const { path, body } = operatorExample(operation, target);
  const { method } = operation;
  const sent = method === 'GET' ? undefined : isMeant ? (body ?? {}) : {};
  const { status, body: answered, headers } = await client.api(method, path, sent);
  return { status, body: answered as unknown, code: headers.get('error-code') };
}

/** Everything that the owner can read, except times and the caller. */
async function view(): Promise<string> {
  const answers: unknown[] = [(await owner.api('GET', '/operators')).body];
  // An archive contains its time.
  const reads = apiOperations.filter(
    ({ name, method }) => method === 'GET' && name !== 'GET /exports/all.zip',
  );
  for (const place of places) {
    const there = owner.in(environments[place]);
    // The resources of the examples are in the sandbox.
    const seen = reads.filter(({ path }) => place === 'sandbox' || !path.includes(':'));
    for (const operation of seen) answers.push(await call(there, operation, exampleOf(operation)));
  }
  return JSON.stringify(answers, (key, value: unknown) =>
    key === 'lastUsedAt' || key === 'now' ? null : value,
  );
}

/** Calls all operations, some concurrently, and returns the unexpected responses. */
async function unexpectedReplies<T extends Operation>(
  operations: readonly T[],
  answered: (operation: T) => Promise<Reply>,
  isRight: (reply: Reply, operation: T) => boolean,
): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (let start = 0; start < operations.length; start += concurrentMax) {
    const some = operations.slice(start, start + concurrentMax);
    const replies = await Promise.all(some.map(async (one) => [one, await answered(one)] as const));
    for (const [one, reply] of replies) if (!isRight(reply, one)) wrong.push([one.name, reply]);
  }
  return wrong;
}

const clientOf = (role: RoleName, place: Place): OperatorClient => {
  const client = clients.get(role);
  if (client === undefined) throw new Error(`No operator is ${role}`);
  return client.in(environments[place]);
};
const answers =
  (status: number, code: string) =>
  (reply: Reply): boolean =>
    reply.status === status && reply.code === code;
const readsEnvironment = ({ name }: Operation) => name === 'GET /environments/:id';
const isRefusal = ({ status, body }: Reply) =>
  status === 403 && JSON.stringify(body) === JSON.stringify(refusedBody);
/** True if the response neither denies access nor fails. */
const isAdmitted = ({ status }: Reply) => status !== 401 && status !== 403 && status < 500;

describe('a forbidden operation is refused:', () => {
  test.each(roles)(
    'to %s, with the public API and among operators',
    async (role) => {
      for (const place of places) {
        const there = clientOf(role, place);
        const refused = apiOperations.filter((one) => !mayCall(role, place, one));
        const ofApi = await unexpectedReplies(
          refused,
          (one) => call(there, one, exampleOf(one)),
          isRefusal,
        );
        expect([place, ofApi]).toEqual([place, []]);
      }
      const refused = operatorOperations.filter((one) => !mayAsk(role, one));
      const there = clientOf(role, 'sandbox');
      expect(await unexpectedReplies(refused, (one) => ask(there, one), isRefusal)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'to callers without a session, or with an ended one: everything except signing in',
    async () => {
      const anonymous = new OperatorClient(system.gatewayUrl, environments.sandbox);
      const over = owner.in(environments.sandbox);
      over.cookie = `operator=${'x'.repeat(43)}`;
      const ofOperators = operatorOperations.filter(({ needsSession }) => needsSession);
      for (const [client, code] of [
        [anonymous, 'invalid_api_key'],
        [over, 'invalid_session'],
      ] as const) {
        const called = (one: Operation) => call(client, one, exampleOf(one));
        expect(await unexpectedReplies(apiOperations, called, answers(401, code))).toEqual([]);
        const asked = (one: OperatorOperation) => ask(client, one);
        const isOver = answers(401, 'invalid_session');
        expect(await unexpectedReplies(ofOperators, asked, isOver)).toEqual([]);
      }
    },
    timeoutMs,
  );

  test(
    'to an owner of another organization: our environments and operators are not found',
    async () => {
      const stranger = await ownerOfAnother();
      const isUnknown = answers(404, 'environment_not_found');
      const ofEnvironment = operatorOperations.filter(({ needsEnvironment }) => needsEnvironment);
      for (const place of places) {
        const there = stranger.in(environments[place]);
        const called = (one: Operation) => call(there, one, exampleOf(one));
        expect(await unexpectedReplies(apiOperations, called, isUnknown)).toEqual([]);
        const asked = (one: OperatorOperation) => ask(there, one);
        expect(await unexpectedReplies(ofEnvironment, asked, isUnknown)).toEqual([]);
      }
      for (const path of ['/operators', '/environments', '/audit', '/session']) {
        const text = JSON.stringify((await stranger.api('GET', path)).body);
        for (const secret of [ownerId, ownerAddress, ...Object.values(environments)]) {
          expect([path, text.includes(secret)]).toEqual([path, false]);
        }
      }
      const changed = await stranger.api('PATCH', `/operators/${ownerId}`, { active: false });
      expect(changed.status).toBe(404);
      const environmentReads = operatorOperations.filter(readsEnvironment);
      const asked = (one: OperatorOperation) => ask(stranger, one);
      expect(await unexpectedReplies(environmentReads, asked, isUnknown)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'and none of them has changed anything',
    async () => {
      expect(await view()).toBe(before);
    },
    timeoutMs,
  );
});

// Follows the operations that may change nothing. Writes name no existing resource: an authorized
// caller gets 404 or 400, and not 403.
describe('an allowed operation is admitted:', () => {
  test.each(roles)(
    'to %s, with the public API and among operators',
    async (role) => {
      for (const place of places) {
        const there = clientOf(role, place);
        const allowed = apiOperations.filter((one) => mayCall(role, place, one));
        const isRead = ({ method }: Operation) => method === 'GET';
        const called = (one: Operation) =>
          call(there, one, isRead(one) ? exampleOf(one) : harmless(exampleOf(one)));
        const isSeen = (reply: Reply, one: Operation) =>
          isRead(one) && place === 'sandbox'
            ? [200, exampleOf(one).owner].includes(reply.status)
            : isAdmitted(reply);
        expect([place, await unexpectedReplies(allowed, called, isSeen)]).toEqual([place, []]);
      }
      const there = clientOf(role, 'sandbox');
      const allowed = operatorOperations.filter((one) => mayAsk(role, one));
      const environmentReads = allowed.filter(readsEnvironment);
      expect(environmentReads).toHaveLength(1);
      const meant = (one: OperatorOperation) => ask(there, one);
      const isFound = ({ status }: Reply) => status === 200;
      expect(await unexpectedReplies(environmentReads, meant, isFound)).toEqual([]);
      // Signing out comes last, or all others would be refused.
      const isLast = ({ name }: Operation) => name === 'DELETE /session';
      const asked = (one: OperatorOperation) => ask(there, one, false);
      for (const some of [allowed.filter((one) => !isLast(one)), allowed.filter(isLast)]) {
        expect(await unexpectedReplies(some, asked, isAdmitted)).toEqual([]);
      }
    },
    timeoutMs,
  );

  test('to everyone: the operations declared open, and nothing else', () => {
    const open = operatorOperations.filter(({ needsSession }) => !needsSession);
    expect(open.map(({ name }) => name).sort()).toEqual([...openOperations].sort());
  });
});

async function ownerOfAnother(): Promise<OperatorClient> {
  const { identity: address } = system.addresses;
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address,
    service: 'test',
    withoutTenant: ['ensureOrganization'],
  });
  const operators = connectPeer<OperatorServiceServer>(OperatorServiceService, {
    address,
    service: 'test',
    withoutTenant: ['inviteFirstOwner'],
  });
  try {
    const { organizationId } = await identity.ensureOrganization({ name: newId() }, testContext());
    const { token = '' } = await operators.inviteFirstOwner({ organizationId }, testContext());
    const client = new OperatorClient(system.gatewayUrl);
    await client.accept(token, newAddress());
    return client;
  } finally {
    identity.close();
    operators.close();
  }
}
