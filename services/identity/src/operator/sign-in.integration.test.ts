import { StoringGate } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { Service } from '@billing/chassis/service';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import { BackgroundWrites } from '../background-write/background-write-store';
import { liveTenant } from '../environment/environment-store';
import { HashQueue, type HashQueueLimits } from '../password/hash-queue';
import { LoginAttemptStore } from '../password/login-attempt-store';
import { createOperator } from './operator';
import { organizations } from '../organization/organization-store';
import { SecondFactors } from './second-factors';
import { OperatorSessionStore } from './session-store';
import { operatorId, operators as definition, operatorSessions } from './operator-store';
import { hashPassword, saltBytes } from '../password/password-hash';
import { SignIn } from './sign-in';
import { identityTestConfiguration } from '../testing/configuration';
import { anEmail, originAt, password, reason } from '../testing/operators';
import { TokenStore } from './token-store';

const configuration = identityTestConfiguration();
let service: Service;
let running: Awaited<ReturnType<Service['serve']>>;
let signInWith: (limits: Omit<HashQueueLimits, 'perAddressMax'>) => SignIn;
let sessionsOf: (id: string) => Promise<number>;
let email: string;

beforeAll(async () => {
  service = await Service.open('identity', configuration);
  const { clock } = service;
  const operators = service.aggregates(definition);
  const sessions = service.aggregates(operatorSessions);
  const sessionList = new OperatorSessionStore(sessions);
  const attempts = new LoginAttemptStore(service.db, service.logger);
  const factorStores = { operators, sessionList, attempts };
  const options = {
    organizations: service.aggregates(organizations),
    secondFactors: new SecondFactors({ ...factorStores, dataKeys: undefined, clock }),
    operators,
    sessions: new TokenStore(sessions, { clock, peppers: [configuration.API_KEY_PEPPER] }),
    sessionList,
    attempts,
    passwordCost: configuration.PASSWORD_HASH_COST,
    backgroundWrites: new BackgroundWrites(service.logger),
    clock,
  };
  sessionsOf = (operator) => sessions.documents.countDocuments({ operatorId: operator });
  signInWith = (limits) =>
    new SignIn({ ...options, hashes: new HashQueue({ ...limits, perAddressMax: 10 }) });
  running = await service.serve([]);
  email = anEmail();
  const salt = Buffer.alloc(saltBytes);
  const passwordHash = await hashPassword(password, { salt, cost: options.passwordCost });
  const id = operatorId(email);
  const ada = { id, email, name: 'Ada', role: 'OWNER', invitedBy: undefined } as const;
  await operators
    .within({ tenant: liveTenant(newId()), now: clock.now() })
    .insert(createOperator({ ...ada, passwordHash }));
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const logIn = (signIn: SignIn, call = testContext()) =>
  signIn.verifyPassword({ email, password, origin: originAt('office') }, call);

test('sign-ins refused because the queue of password hashes is full do not count as failed', async () => {
  const full = signInWith({ runningMax: 0, waitingMax: 0 });
  for (let refused = 1; refused <= 12; refused += 1) {
    await expect(logIn(full)).rejects.toThrow(reason('TOO_MANY_PASSWORDS'));
  }
  expect((await logIn(signInWith({ runningMax: 1, waitingMax: 0 }))).state.email).toBe(email);
});

test('sign-ins whose caller leaves the queue do not count as failed', async () => {
  const waiting = signInWith({ runningMax: 0, waitingMax: 1 });
  for (let left = 1; left <= 12; left += 1) {
    const call = { ...testContext(), signal: AbortSignal.timeout(20) };
    await expect(logIn(waiting, call)).rejects.toThrow();
  }
  expect((await logIn(signInWith({ runningMax: 1, waitingMax: 0 }))).state.email).toBe(email);
});

describe('a sign-in opens no session if too little time for it is left', () => {
  const signIn = () => signInWith({ runningMax: 1, waitingMax: 0 });
  const late = { reason: 'TOO_LATE_TO_STORE' };
  let time = 0;
  let call: ReturnType<typeof testContext>;

  beforeEach(() => {
    time = 0;
    const storing = new StoringGate(new Date(5_000), { now: () => new Date(time) });
    call = { ...testContext(), storing };
  });

  test('after its password', async () => {
    const operator = await logIn(signIn(), call);
    time = 4_000;
    await expect(signIn().open(operator, undefined, call)).rejects.toMatchObject(late);
    expect(await sessionsOf(operator.state.id)).toBe(0);
  });

  test('after its code, whose use is stored', async () => {
    const operator = await logIn(signIn(), call);
    call.storing?.recordStored();
    time = 4_000;
    await expect(signIn().open(operator, undefined, call)).rejects.toMatchObject(late);
    expect(await sessionsOf(operator.state.id)).toBe(0);
  });
});
