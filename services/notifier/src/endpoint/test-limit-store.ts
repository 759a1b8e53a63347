import type { Collection, Db } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import type { EndpointKey } from './endpoint';

/** Tests that an endpoint may receive on request in each span of a minute. */
export const testsMax = 10;
/** Tests of an environment in the same span: as many as its ten endpoints may receive. */
export const environmentTestsMax = 100;
const spanMs = 60_000;
// Retried only after losing the first insert, or when the limit just ended.
const attemptsMax = 10;

interface CountedTest {
  /** Id of the request, so that a retry of a call counts once. */
  readonly id: string;
  /** Real time. */
  readonly at: Date;
}

interface CountedTests {
  /** Id of the endpoint or the environment. */
  readonly _id: string;
  readonly environmentId: string;
  /** The latest tests, in the order in which they were counted; at most as many as a minute has. */
  readonly tests: readonly CountedTest[];
}

/** Whose tests are counted, and their limit. */
interface Counted {
  readonly _id: string;
  readonly environmentId: string;
  readonly max: number;
}

/**
 * Limits the test webhooks of an endpoint and of an environment, whose endpoints can be replaced,
 * over all replicas: the ownership of the URLs is not proven. One conditional update each counts a
 * test and refuses it beyond the limit.
 */
export class TestLimitStore {
  private readonly documents: Collection<CountedTests>;

  constructor(db: Db) {
    this.documents = db.collection<CountedTests>('endpointTests');
  }

  /**
   * Counts a test by the id of its request; throws resource_exhausted with the time until the next
   * one is allowed.
   */
  async count(
    { environmentId, endpointId }: EndpointKey,
    id: string,
    { now, storing }: Pick<CallContext, 'now' | 'storing'>,
  ): Promise<void> {
    const test = { id, at: now };
    const endpoint = { _id: endpointId, environmentId, max: testsMax };
    const environment = { _id: environmentId, environmentId, max: environmentTestsMax };
    for (const counted of [endpoint, environment]) await this.countFor(counted, test, { storing });
  }

  private async countFor(
    counted: Counted,
    test: CountedTest,
    { storing }: Pick<CallContext, 'storing'>,
  ): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      storing?.check();
      if (await this.countedNow(counted, test)) return;
      const tests = await this.find(counted);
      if (tests.some(({ id }) => id === test.id)) return;
      const retryAfterMs = waitMs(tests, counted.max, test.at);
      if (retryAfterMs > 0) throw tooManyTests(retryAfterMs);
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  /** Counts a test unless it is counted already or beyond the limit. */
  private async countedNow(
    { _id, environmentId, max }: Counted,
    test: CountedTest,
  ): Promise<boolean> {
    const isAllowed = [
      { [`tests.${String(max - 1)}`]: { $exists: false } },
      { 'tests.0.at': { $lte: new Date(test.at.getTime() - spanMs) } },
    ];
    try {
      await retryTransient(() =>
        this.documents.updateOne(
          { _id, environmentId, 'tests.id': { $ne: test.id }, $or: isAllowed },
          { $push: { tests: { $each: [test], $slice: -max } } },
          { upsert: true },
        ),
      );
      return true;
    } catch (error) {
      // The document exists, and the filter did not match it.
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private async find({ _id, environmentId }: Counted) {
    const found = await retryTransient(() => this.documents.findOne({ _id, environmentId }));
    return found?.tests ?? [];
  }
}

/** Milliseconds until another test is allowed after these latest ones. */
function waitMs(tests: readonly CountedTest[], max: number, now: Date): number {
  const [oldest] = tests;
  if (oldest === undefined || tests.length < max) return 0;
  return oldest.at.getTime() + spanMs - now.getTime();
}

function tooManyTests(retryAfterMs: number): DomainError {
  return new DomainError('resource_exhausted', 'TOO_MANY_TESTS', 'Too many requests', {
    retryAfterSeconds: Math.ceil(retryAfterMs / 1_000),
  });
}
