import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { testContext } from '@billing/chassis/testing';
import { routes } from '@billing/gateway/routes';
import {
  type Environment,
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import type { Answer, ApiClient } from '../support/api-client';
import {
  ownerMark,
  ownerTime,
  type RouteExample,
  routeExamples,
} from '../support/isolation/isolation-examples';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

// Covers every operation of the gateway: a new operation without an example fails.
const operations = routes.map(({ method, path, readsOnly = false }) => ({
  name: `${method} ${path}`,
  method,
  path,
  readsOnly,
}));
type Operation = (typeof operations)[number];

let system: TestSystem;
let identity: Peer<IdentityServiceServer>;
let owner: ApiClient;
let examples: Readonly<Record<string, RouteExample>>;
let strangers: readonly ApiClient[];
/** Everything that the owner could read before the calls that must change nothing. */
let viewBefore: string;
/** Ids and marks of the owner's resources, which no response to a stranger may contain. */
let secrets: readonly string[];

beforeAll(async () => {
  system = await joinTestSystem();
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: system.addresses.identity,
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
  owner = await system.live.manualSandbox(ownerTime);
  examples = await routeExamples(owner);
  const other = await identity.ensureOrganization({ name: newId() }, testContext());
  strangers = [
    await firstClientOf(other.live),
    await firstClientOf(other.sandbox),
    system.live,
    system.sandbox,
  ];
  // The list of keys is part of the view.
  for (const operation of operations) await clientWith(scopesOfOthers(operation));
  viewBefore = await ownerView();
  secrets = secretsIn(viewBefore);
});

afterAll(async () => {
  identity.close();
});

/** A client with a key of an environment that has none yet. */
async function firstClientOf(environment: Environment | undefined): Promise<ApiClient> {
  if (environment === undefined) throw new Error('The organization lacks an environment');
  const { id: environmentId, organizationId, kind } = environment;
  const live = kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE;
  const context = testContext({ tenant: { environmentId, organizationId, live } });
  const input = { name: 'First key', scopes: [], expiresAt: undefined, createdBy: undefined };
  return system.client((await identity.createApiKey(input, context)).key);
}

function exampleOf({ name, path }: Operation): RouteExample {
  const example = examples[name];
  if (example === undefined) throw new Error(`${name} needs an example in isolation-examples.ts`);
  // Kinds, languages and resources are no ids.
  const named = path
    .replaceAll(/:(kind|language|resource)\b/g, String.raw`\w+`)
    .replace(/:filename\b/, String.raw`[\w-]+\.pdf`);
  const shape = new RegExp(`^${named.replaceAll(/:\w+/g, '[0-9a-f-]{36}')}(\\?|$)`);
  if (!shape.test(example.path)) throw new Error(`${example.path} is no example of ${name}`);
  return example;
}

function call(client: ApiClient, { method }: Operation, { path, body }: RouteExample) {
  return client.request(method, path, body === undefined ? {} : { body });
}

/** Scopes; each one suffices. */
const scopesOf = ({ method, path, readsOnly }: Operation): readonly string[] => {
  const segment = path.split('/')[1] ?? '';
  if (readsOnly) return [`${segment}:read`, `${segment}:write`];
  return [`${segment}:${method === 'GET' ? 'read' : 'write'}`];
};

/** All scopes but those that suffice. */
const scopesOfOthers = (operation: Operation): readonly string[] => {
  const scopes = scopesOf(operation);
  return [...new Set(operations.flatMap(scopesOf))].filter((one) => !scopes.includes(one));
};

// One key for each set of scopes, so that the list of keys stays on one page.
const limitedClients = new Map<string, Promise<ApiClient>>();

/** A client of the owner's environment with these scopes only. */
function clientWith(scopes: readonly string[]): Promise<ApiClient> {
  const create = async () => {
    const { key } = await owner.expect(201, owner.post('/api-keys', { name: 'x', scopes }));
    return system.client(key as string);
  };
  const name = scopes.join();
  const client = limitedClients.get(name) ?? create();
  limitedClients.set(name, client);
  return client;
}

/** Everything that the owner can read, except the time at which keys were used. */
async function ownerView(): Promise<string> {
  // Exports have the same objects as the lists.
  // An operation without an example fails in its own test.
  const reads = operations.filter(
    ({ name, method, path }) =>
      method === 'GET' && name in examples && !path.startsWith('/exports/'),
  );
  const answers: unknown[] = [];
  for (const operation of reads) {
    const example = exampleOf(operation);
    answers.push(await owner.expect(example.owner ?? 200, call(owner, operation, example)));
  }
  return JSON.stringify(answers, (key, value: unknown) => (key === 'lastUsedAt' ? null : value));
}

function secretsIn(view: string): string[] {
  // Environments of one organization share its id, and a sandbox's first key names the live key
  // that created the sandbox. The address of the sign-in page is public.
  const withoutOrganization = view
    .replaceAll(/"organizationId":"[^"]*"/g, '')
    .replaceAll(/"portalSignInUrl":"[^"]*"/g, '')
    .replaceAll(/"createdBy":\{[^}]*\}/g, '');
  const ids = withoutOrganization.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
  return [...new Set(ids), ownerMark];
}

function expectNothingOfOwner({ body, headers }: Answer): void {
  const text = JSON.stringify([body, [...headers]]);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

test('the owner has resources to protect', () => {
  expect(secrets.length).toBeGreaterThan(10);
});

describe.each(operations)('$name', (operation) => {
  test('shows and changes nothing for other organizations and other environments', async () => {
    const { filtered, ...example } = exampleOf(operation);
    const { strangers: allowed = [404] } = example;
    const namesOwner =
      /:(?!kind|language|resource)/.test(operation.path) && example.owner === undefined;
    if (namesOwner) expect(allowed).toEqual([404]);
    for (const stranger of strangers) {
      const answer = await call(stranger, operation, example);
      expect(allowed).toContain(answer.status);
      expectNothingOfOwner(answer);
      if (filtered !== undefined) {
        expect((await stranger.expect(200, stranger.get(filtered))).data).toEqual([]);
      }
    }
  });

  test('is forbidden without its scope, even with all other scopes', async () => {
    const limited = await clientWith(scopesOfOthers(operation));
    const answer = await call(limited, operation, exampleOf(operation));
    expect([answer.status, answer.body]).toEqual([403, { error: 'Insufficient permissions' }]);
    expectNothingOfOwner(answer);
  });
});

test('none of these calls has changed anything', async () => {
  expect(JSON.parse(await ownerView())).toEqual(JSON.parse(viewBefore));
});

// The routes of sandboxes are for live keys, so the owner's key above cannot call them.
test('the sandboxes of an organization are unknown to the live key of another', async () => {
  const { data } = (await system.live.get('/sandboxes?perPage=100')).body;
  const ids = (data as { readonly id: string }[]).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(1);
  const [stranger] = strangers;
  if (stranger === undefined) throw new Error('No other organization');
  const listed = JSON.stringify((await stranger.get('/sandboxes?perPage=100')).body);
  for (const id of ids) {
    expect(listed).not.toContain(id);
    const renamed = await stranger.request('PATCH', `/sandboxes/${id}`, { body: { name: 'x' } });
    const deleted = await stranger.delete(`/sandboxes/${id}`);
    expect([renamed.status, deleted.status]).toEqual([404, 404]);
  }
  const { data: after } = (await system.live.get('/sandboxes?perPage=100')).body;
  const names = (sandboxes: readonly { readonly id: string; readonly name: string | null }[]) =>
    sandboxes.map(({ id, name }) => ({ id, name }));
  expect(names(after)).toEqual(names(data));
});

// Last, because it carries out what the others may not, deletions at the very end. It proves that
// the examples are effective.
describe('the same calls', () => {
  const deletionsLast = operations.toSorted(
    (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  );

  test.each(deletionsLast)(
    'by the owner with that scope alone succeed: $name',
    async (operation) => {
      const example = exampleOf(operation);
      const scopes = [...scopesOf(operation).slice(0, 1), ...(example.scopes ?? [])];
      const client = await clientWith(scopes);
      const { status } = await call(client, operation, example);
      if (example.owner === undefined) expect(Math.floor(status / 100)).toBe(2);
      else expect(status).toBe(example.owner);
      if (example.filtered !== undefined) {
        expect((await owner.expect(200, owner.get(example.filtered))).total).toBeGreaterThan(0);
      }
    },
  );
});
